/* page_part.h -- shared by the files behind page.h. */
#ifndef BS_PAGE_PART_H
#define BS_PAGE_PART_H

extern const char bs_page_style[];
extern const char bs_page_first[];  /* in the head: sets the theme before drawing */
extern const char bs_page_script[]; /* at the end of the body */

#endif

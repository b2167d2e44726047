/* page_part.h -- what the files of the page share. */
#ifndef BS_PAGE_PART_H
#define BS_PAGE_PART_H

extern const char bs_page_style[];
extern const char bs_page_first[];  /* script of the head: the theme, before anything is drawn */
extern const char bs_page_script[]; /* at the end of the body */

#endif

/* api_folder.h -- tests of the public interface: each works in its own folder, with generated data
 * in d.arff. */
#ifndef TEST_API_FOLDER_H
#define TEST_API_FOLDER_H

#include "tests/check.h"

#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

#include "basin_tool.h"

static char folder[64], here[256];

#define OK(call)                                            \
    do {                                                    \
        basin_error        err_ = {0};                      \
        basin_error *const err = &err_;                     \
        if (call) {                                         \
            fprintf(stderr, "  %s: %s\n", #call, err_.msg); \
            fail();                                         \
        }                                                   \
    } while (0)

static inline int in_temporary_folder(void **state)
{
    basin_text text;
    (void)state;
    snprintf(folder, sizeof folder, "/tmp/basin-test-XXXXXX");
    if (!getcwd(here, sizeof here) || !mkdtemp(folder) || chdir(folder) != 0)
        return -1;
    if (basin_data_make("mlc", "rows=400 groups=3", 3, "d.arff", NULL, NULL, &text, NULL))
        return -1;
    basin_text_free(&text);
    return 0;
}

static inline int leave_folder(void **state)
{
    char command[128];
    (void)state;
    snprintf(command, sizeof command, "rm -rf %s", folder);
    return chdir(here) == 0 && system(command) == 0 ? 0 : -1;
}

#endif

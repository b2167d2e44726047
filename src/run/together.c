/* together.c -- processes that train parts of the same thing must compute the same bits. */
#include <string.h>

#include "base/io.h"
#include "base/share.h"
#include "run/trainer.h"

basin_status bs_run_together(const char *folder, const bs_train_options *o, bs_logger *log,
                             basin_error *err)
{
    char          mine[160], theirs[160];
    bs_workspace *w;
    basin_status  s = bs_workspace_open((bs_machine){o->device, 1}, &w, err);
    if (s)
        return s;
    bs_print(mine, sizeof mine, "basin %s, %s", BASIN_VERSION, bs_arithmetic(w));
    bs_workspace_close(w);
    s = bs_share_first(folder, ".shared", mine, theirs, sizeof theirs, err);
    if (s || strcmp(mine, theirs) == 0)
        return s;
    if (strcmp(o->resume_arithmetic, "any") != 0)
        return bs_fail(err, BASIN_EARG,
                       "%s: was begun by %.140s; this is %.140s, and last bits would differ; "
                       "--set resume.arithmetic=any takes part all the same",
                       folder, theirs, mine);
    bs_log_say(log, BS_WARN, "%s: was begun by %.140s; this is %.140s: last bits will differ",
               folder, theirs, mine);
    return BASIN_OK;
}

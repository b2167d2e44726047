/* folder.c -- files of a run folder. */
#include <errno.h>
#include <stdio.h>
#include <unistd.h>

#include "base/io.h"
#include "run/trainer.h"

bs_path bs_path_in(const char *folder, const char *name)
{
    bs_path out;
    bs_print(out.text, sizeof out.text, "%s/%s", folder, name);
    return out;
}

bool bs_path_there(const char *folder, const char *name)
{
    return access(bs_path_in(folder, name).text, F_OK) == 0;
}

basin_status bs_path_write(const char *folder, const char *name, bs_buf *text, basin_error *err)
{
    const bs_path path = bs_path_in(folder, name);
    basin_status  s =
        text->failed ? bs_fail_nomem(err) : bs_write_file(path.text, text->data, text->len, err);
    bs_buf_free(text);
    return s;
}

basin_status bs_path_copy(const char *from, const char *name, const char *to, const char *new_name,
                          basin_error *err)
{
    const bs_path source = bs_path_in(from, name);
    char          block[1 << 14];
    bs_buf        text;
    size_t        n;
    FILE         *f = fopen(source.text, "rb"); /* a model might start like a compressed file */
    if (!f)
        return bs_fail_io(err, source.text, errno);
    bs_buf_init(&text, (size_t)1 << 40);
    bs_buf_text(&text, "");
    while ((n = fread(block, 1, sizeof block, f)) > 0)
        bs_buf_add(&text, block, n);
    const bool   bad = ferror(f) != 0;
    basin_status s = bad ? bs_fail_io(err, source.text, EIO) : BASIN_OK;
    fclose(f);
    if (!s)
        return bs_path_write(to, new_name, &text, err);
    bs_buf_free(&text);
    return s;
}

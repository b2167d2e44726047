/* options.h -- the settings of a training, one row each (options.def).
 *
 * A setting is named by its key everywhere: --set on the command line, presets,
 * the config of a run folder, and the copy stored in a model. Keys of reading
 * options (data/rows/read.h) are these with "data." before them. */
#ifndef BS_TRAIN_OPTIONS_H
#define BS_TRAIN_OPTIONS_H

#include <stddef.h>

#include "base/opt.h"
#include "data/rows/read.h"
#include "data/image/images.h"
#include "data/text/corpus.h"
#include "data/text/lexicon.h"
#include "nn/encoder.h"

enum { BS_ENCODERS_ROOM = 8192 };

typedef struct {
#define TEXT(field, ...) char field[BS_OPTION_TEXT];
#define NAME(field, ...) char field[BS_OPTION_TEXT];
#define BOOL(field, ...) bool field;
#define INT(field, ...)  int field;
#define REAL(field, ...) double field;
#include "task/options.def"
#undef TEXT
#undef NAME
#undef BOOL
#undef INT
#undef REAL
    union {
        max_align_t   align;
        unsigned char bytes[BS_ENCODERS_ROOM];
    } encoders; /* their own options, by bs_encoder_options */
} bs_train_options;

extern const bs_option bs_train_rows[];

/* The own options of an encoder; NULL if it has none. */
const void *bs_encoder_options(const bs_train_options *o, const bs_encoder *e);

typedef struct {
    bs_train_options   train;
    bs_read_options    read;  /* data.* */
    bs_corpus_options  text;  /* text.* */
    bs_lexicon_options words; /* words.*, chars.* */
    bs_image_options   image; /* image.*, mask.* */
} bs_settings;

basin_status bs_settings_default(bs_settings *s, basin_error *err);

/* Keys of both tables; `where` starts the message. */
basin_status bs_settings_set(bs_settings *s, const char *key, const char *value, const char *where,
                             basin_error *err);
basin_status bs_settings_config(bs_settings *s, const char *text, size_t len, const char *where,
                                basin_error *err);
/* After a config was read over `was`: since it may come from anywhere, files it names must be
 * regular files or folders, and its output paths are dropped (*left_out: there were some). */
basin_status bs_settings_from_elsewhere(bs_settings *s, const bs_settings *was, const char *where,
                                        bool *left_out, basin_error *err);
void         bs_settings_write_config(const bs_settings *s, bs_buf *out);
void         bs_settings_json(const bs_settings *s, bs_buf *out);
/* The same without those in a NULL-terminated list; a name with a trailing dot is a group. */
void bs_settings_json_but(const bs_settings *s, const char *const *but, bs_buf *out);
/* Settings stored in a model: limits are the defaults, whatever it says. */
basin_status bs_settings_from_json(bs_settings *s, const char *json, size_t len, const char *where,
                                   basin_error *err);
void         bs_settings_help(bs_buf *out);

/* Takes the settings stored in a model: those in a list as of bs_settings_json_but or, with `but`,
 * all others. */
basin_status bs_settings_take(bs_settings *s, const bs_settings *from, const char *const *list,
                              bool but, basin_error *err);

/* All options, with offsets in bs_settings; ends with a row without a name. */
enum { BS_SETTINGS_ROWS = 256 };
void bs_settings_rows(bs_option out[BS_SETTINGS_ROWS]);

/* "key=value key=value", the form of presets and of method defaults. */
basin_status bs_settings_words(bs_settings *s, const char *words, const char *where,
                               basin_error *err);

/* Published settings, "seal/bibtex"; `method` chooses the row within. For an unknown name the error
 * suggests the nearest; a preset of another task is an error as well. */
basin_status bs_preset_apply(bs_settings *s, const char *name, const char *task, const char *method,
                             basin_error *err);
/* Whether it has specific settings for other methods, but none for this one. */
bool bs_preset_shared_only(const char *name, const char *method);
void bs_preset_list(bs_buf *table, bs_buf *json); /* one line each */

#endif

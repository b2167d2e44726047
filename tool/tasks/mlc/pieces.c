/* pieces.c -- how an encoder would cut the texts of rows. */
#include "tasks/mlc/pieces.h"

#include "base/json.h"
#include "pretrained/pretrained.h"

static basin_status count(const bs_tokenizer *t, const bs_rows *d, bs_pieces_summary *out,
                          basin_error *err)
{
    const bs_token_options whole = {0};
    bs_pieces              p = {0};
    basin_status           s = BASIN_OK;
    for (int32_t i = 0; i < d->rows && !s; i++) {
        s = bs_token_text(t, d->document[i].bytes, d->document[i].n, &whole, &p, err);
        out->pieces += p.n;
        out->unknown += p.unknown;
        out->cut += p.n > out->most;
        out->longest = p.n > out->longest ? p.n : out->longest;
    }
    out->texts = d->rows;
    bs_pieces_free(&p);
    return s;
}

basin_status bs_pieces_of(const bs_settings *settings, const bs_rows *d, bs_pieces_summary *out,
                          basin_error *err)
{
    const bs_train_options *o = &settings->train;
    bs_pretrained          *e;
    *out = (bs_pieces_summary){.kind = ""};
    if (!*o->encoder || !d->document)
        return BASIN_OK;
    basin_status s = bs_pretrained_open(o->encoder, &e, err);
    if (s)
        return s;
    const int most = bs_transformer_longest(&e->form.shape);
    out->kind = bs_tokenizer_kind(e->tokens);
    out->most = o->encoder_length > 0 && o->encoder_length < most ? o->encoder_length : most;
    s = count(e->tokens, d, out, err);
    bs_pretrained_free(e);
    return s;
}

static double percent(double part, double of)
{
    return of > 0 ? 100 * part / of : 0;
}

void bs_pieces_print(const bs_pieces_summary *s, bs_buf *out)
{
    if (!*s->kind)
        return;
    bs_buf_printf(out, "pieces   %.1f a text, at most %d; ",
                  s->texts ? (double)s->pieces / s->texts : 0, s->longest);
    bs_buf_printf(out, "%.1f %% are cut at %d (encoder.length); %.2f %% unknown (%s)\n",
                  percent(s->cut, s->texts), s->most,
                  percent((double)s->unknown, (double)s->pieces), s->kind);
}

void bs_pieces_json(const bs_pieces_summary *s, bs_buf *out)
{
    if (*s->kind)
        bs_json_members(out, "pieces %lld pieces_longest %d texts_cut %d pieces_unknown %lld",
                        (long long)s->pieces, s->longest, s->cut, (long long)s->unknown);
}

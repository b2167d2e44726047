/* xml_labels.c -- <labels><label name="x"/>...</labels> through expat.
 *
 * Nested labels are a hierarchy; they are listed flat. Document types are refused: nothing here
 * needs them, and entities can be made to expand without limit. */
#include "data/rows/xml_labels.h"

#include <stdio.h>
#include <string.h>
#include <expat.h>

typedef struct {
    XML_Parser     parser;
    bs_xml_labels *out;
    const char    *file;
    int            depth;
    basin_status   status;
    basin_error   *err;
} parse;

/* Only the first complaint counts; expat is told to stop. */
static void refuse(parse *p, basin_status s, const char *what, const char *name)
{
    if (p->status)
        return;
    p->status = s;
    if (s == BASIN_ENOMEM)
        bs_fail_nomem(p->err);
    else
        bs_fail(p->err, s, "%s:%lu:%lu: %s%.60s%s", p->file,
                (unsigned long)XML_GetCurrentLineNumber(p->parser),
                (unsigned long)XML_GetCurrentColumnNumber(p->parser) + 1, what, name ? name : "",
                name ? "'" : "");
    XML_StopParser(p->parser, XML_FALSE);
}

/* The part after the namespace, which expat prefixes with '|'. */
static const char *local_name(const char *name)
{
    const char *bar = strrchr(name, '|');
    return bar ? bar + 1 : name;
}

static void XMLCALL on_start(void *user, const XML_Char *name, const XML_Char **attributes)
{
    parse *p = user;
    name = local_name(name);
    if (p->depth++ == 0) {
        if (strcmp(name, "labels") == 0)
            return;
        p->out->foreign = true;
        refuse(p, BASIN_EDATA, "a label file begins with <labels>, this one with '", name);
        return;
    }
    if (strcmp(name, "label") != 0) {
        refuse(p, BASIN_EDATA, "only <label> may stand in <labels>, not '", name);
        return;
    }
    p->out->nested = p->out->nested || p->depth > 2;
    for (; attributes[0]; attributes += 2) {
        if (strcmp(local_name(attributes[0]), "name") != 0)
            continue;
        bool fresh;
        if (!attributes[1][0])
            refuse(p, BASIN_EDATA, "a label has an empty name", NULL);
        else if (p->out->names.n >= p->out->most)
            refuse(p, BASIN_EDATA, "more labels than data.max_labels allows", NULL);
        else if (bs_names_add(&p->out->names, attributes[1], strlen(attributes[1]), &fresh) < 0)
            refuse(p, BASIN_ENOMEM, "", NULL);
        else if (!fresh)
            refuse(p, BASIN_EDATA, "a second label is named '", attributes[1]);
        return;
    }
    refuse(p, BASIN_EDATA, "a <label> has no name; write <label name=\"...\"/>", NULL);
}

static void XMLCALL on_end(void *user, const XML_Char *name)
{
    parse *p = user;
    (void)name;
    p->depth--;
}

static void XMLCALL on_doctype(void *user, const XML_Char *name, const XML_Char *system,
                               const XML_Char *public, int internal)
{
    (void)name;
    (void)system;
    (void)public;
    (void)internal;
    refuse(user, BASIN_EDATA, "a document type is not allowed in a label file", NULL);
}

/* Only names are kept. expat itself buffers one tag at most, which is limited. */
static basin_status feed(parse *p, bs_input *in, enum XML_Status *ok)
{
    enum { LONGEST_TAG = 16 << 20 };
    const char *bytes;
    size_t      n = 1;
    XML_Index   fed = 0;
    while (n > 0 && *ok != XML_STATUS_ERROR) {
        basin_status s = bs_input_some(in, &bytes, &n, p->err);
        if (s)
            return s;
        *ok = XML_Parse(p->parser, bytes, (int)n, n == 0);
        fed += (XML_Index)n;
        if (*ok != XML_STATUS_ERROR && fed - XML_GetCurrentByteIndex(p->parser) > LONGEST_TAG)
            return bs_fail(p->err, BASIN_EDATA, "%s:%lu: a tag or text of more than %d bytes",
                           p->file, (unsigned long)XML_GetCurrentLineNumber(p->parser),
                           (int)LONGEST_TAG);
    }
    return BASIN_OK;
}

static basin_status run(parse *p, bs_input *in)
{
    enum XML_Status ok = XML_STATUS_OK;
    XML_SetUserData(p->parser, p);
    XML_SetElementHandler(p->parser, on_start, on_end);
    XML_SetStartDoctypeDeclHandler(p->parser, on_doctype);
    basin_status s = feed(p, in, &ok);
    if (s || p->status)
        return s ? s : p->status;
    enum XML_Error code = XML_GetErrorCode(p->parser);
    if (ok != XML_STATUS_ERROR)
        return BASIN_OK;
    if (code == XML_ERROR_NO_MEMORY)
        return bs_fail_nomem(p->err);
    return bs_fail(p->err, BASIN_EDATA, "%s:%lu:%lu: %s", p->file,
                   (unsigned long)XML_GetCurrentLineNumber(p->parser),
                   (unsigned long)XML_GetCurrentColumnNumber(p->parser) + 1, XML_ErrorString(code));
}

basin_status bs_xml_labels_read(bs_input *in, bs_xml_labels *out, basin_error *err)
{
    parse p = {.out = out, .file = bs_input_name(in), .err = err};
    p.parser = XML_ParserCreateNS(NULL, '|');
    basin_status s = p.parser ? run(&p, in) : bs_fail_nomem(err);
    if (p.parser)
        XML_ParserFree(p.parser);
    if (!s && out->names.n == 0)
        s = bs_fail(err, BASIN_EDATA, "%s: names no label", bs_input_name(in));
    return s;
}

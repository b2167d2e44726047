/* xml_labels.h -- MULAN's list of labels in XML. */
#ifndef BS_XML_LABELS_H
#define BS_XML_LABELS_H

#include "base/io.h"
#include "data/names.h"

typedef struct {
    bs_names names;   /* initialised by the caller; in the order of the file */
    int32_t  most;    /* maximum number of names; more are an error */
    bool     nested;  /* some label is nested in another */
    bool     foreign; /* well-formed, but its root is not <labels> */
} bs_xml_labels;

/* A root other than <labels> is an error and sets `foreign`, so that a file found beside the data
 * can be skipped. */
basin_status bs_xml_labels_read(bs_input *in, bs_xml_labels *out, basin_error *err);

#endif

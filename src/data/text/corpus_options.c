/* corpus_options.c -- the option table for reading sentences. */
#include <stddef.h>

#include "data/rows/read.h"
#include "data/text/corpus.h"

#define AT(field) offsetof(bs_corpus_options, field)

const bs_option bs_corpus_rows[] = {
    {"text.format", BS_NAME, AT(format), "auto", NULL, NULL,
     "auto|conll|conllu|text|raw|tokens|spans|brat|csv|props|predicates",
     "columns (conll), CoNLL-U, words between blanks (text), running text (raw), JSON rows with "
     "words (tokens) or texts (spans), BRAT, a table with one word per row; of semantic roles "
     "columns (props), JSON rows (predicates)",
     0},
    {"text.word_column", BS_INT, AT(word_column), "0", "0", "64", NULL,
     "column of the words; 0: the first, in CoNLL-U the second", BS_OPTION_KEEP},
    {"text.tag_column", BS_TEXT, AT(tag_column), "auto", NULL, NULL, NULL,
     "column of the tags: a number, last, none or a name in JSON and CSV; auto: the last, in "
     "CoNLL-U the fourth",
     BS_OPTION_KEEP},
    {"text.feature_columns", BS_TEXT, AT(feature_columns), "auto", NULL, NULL, NULL,
     "columns used as features: all, none, numbers (2,3) or names; auto: all, in CoNLL-U none",
     BS_OPTION_KEEP},
    {"text.tag_names", BS_TEXT, AT(tag_names), "", NULL, NULL, NULL,
     "names of tags that are numbers: O,B-PER,... or a file; else STEM.labels or "
     "dataset_info.json beside the data",
     BS_OPTION_KEEP | BS_OPTION_FILE},
    {"text.tokens", BS_NAME, AT(tokens), "auto", NULL, NULL, "auto|blanks|rules",
     "how plain text is cut into words: at blanks, or by rules into words, numbers and "
     "punctuation; auto: by rules where the model was trained on texts",
     BS_OPTION_KEEP},
    {"text.scheme", BS_NAME, AT(scheme), "auto", NULL, NULL,
     "auto|raw|iob1|iob2|ioe1|ioe2|bioes|bilou", "how the file's tags encode spans", 0},
    {"text.to", BS_NAME, AT(to), "auto", NULL, NULL,
     "auto|keep|raw|iob1|iob2|ioe1|ioe2|bioes|bilou",
     "scheme that tags are converted to; auto: bioes where there are spans", BS_OPTION_KEEP},
    {"text.predicate_column", BS_TEXT, AT(predicate_column), "auto", NULL, NULL, NULL,
     "of semantic roles: the column that holds - for all words but predicates (a number); auto: "
     "the last before the roles",
     BS_OPTION_KEEP},
    {"text.max_tokens", BS_INT, AT(max_tokens), "1000000000", "1", "2000000000", NULL,
     "refuse files with more tokens", 0},
    {"text.max_sentences", BS_INT, AT(max_sentences), "200000000", "1", "2000000000", NULL,
     "refuse files with more sentences", 0},
    {"text.max_length", BS_INT, AT(max_length), "1000000", "1", "2000000000", NULL,
     "refuse sentences with more tokens", 0},
    {NULL, BS_INT, 0, NULL, NULL, NULL, NULL, NULL, 0},
};

bs_corpus_options bs_corpus_options_default(void)
{
    bs_corpus_options o = {.max_line_mb = bs_read_options_default().max_line_mb};
    bs_options_default(bs_corpus_rows, &o, NULL);
    return o;
}

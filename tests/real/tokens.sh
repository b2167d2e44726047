# Pieces and places of every character and of 435 texts, as the official tokeniser gives them.
[ -d "$DATA/text/tokenizer" ] || { echo "skip: no golden vectors in $DATA"; exit 77; }
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
# shellcheck disable=SC2046
${CC:-gcc} -std=c11 -D_POSIX_C_SOURCE=200809L -D_DEFAULT_SOURCE -O2 -I"$TOP/include" -I"$TOP/src" "$TOP/tests/real/tokens_driver.c" \
    -o "$work/driver" "${BASIN%/basin}/libbasin.a" -fopenmp -lm \
    $(pkg-config --libs libarchive libpng libjpeg expat jansson zlib libxxhash libpcre2-8 libutf8proc) || exit 1
bad=0
check() { # name file wanted mode folder
    got=$(xz -dc "$DATA/text/tokenizer/$2" | "$work/driver" $4 $5)
    if [ "$got" = "$3" ]; then
        echo "ok   $1: $got"
    else
        echo "FAIL $1: $got instead of $3"
        bad=1
    fi
}
encoder=$DATA/emb/all-minilm-l6-v2
mkdir "$work/words" && cp "$encoder/vocab.txt" "$work/words"
check characters bert-uncased-codepoints.tsv.xz "1112063 0" letters
check tokenizer.json bert-uncased-golden.jsonl.xz "435 0" texts "$encoder"
check vocab.txt bert-uncased-golden.jsonl.xz "435 0" texts "$work/words"
exit $bad

# Hidden states of MiniLM for a dozen texts, against a forward pass of numpy in double precision; in
# double precision too, if that library has been built (make test builds it).
encoder=$DATA/emb/all-minilm-l6-v2
[ -d "$encoder" ] || { echo "skip: no encoder in $DATA"; exit 77; }
python=/usr/bin/python3
$python -c 'import numpy' 2>/dev/null || { echo "skip: no numpy"; exit 77; }
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
xz -dc "$DATA/text/tokenizer/bert-uncased-golden.jsonl.xz" | sed -n '3,14p' | $python -c '
import json, sys
for line in sys.stdin:
    print(json.dumps(json.loads(line)["ids"][:100]))' >"$work/ids"
$python "$TOP/tools/make_encoders.py" "$encoder" <"$work/ids" >"$work/wanted" || exit 1
bad=0
check() { # library tolerance flag
    [ -e "$1" ] || return 0
    # shellcheck disable=SC2046
    ${CC:-gcc} -std=c11 -D_POSIX_C_SOURCE=200809L -D_DEFAULT_SOURCE $3 -O2 -I"$TOP" -I"$TOP/include" -I"$TOP/src" \
        -I"$TOP/tests" -Wl,--wrap=bs_workspace_open "$TOP/tests/real/encoder_driver.c" "$TOP/tests/far.c" -o "$work/driver" \
        "$1" -fopenmp -lm -ldl -ldnnl -lcmocka \
        $(pkg-config --libs libarchive libpng libjpeg expat jansson zlib libxxhash libpcre2-8 libutf8proc) || exit 1
    if "$work/driver" "$encoder" "$work/wanted" "$2" >"$work/log" 2>&1; then
        echo "ok   within $2"
    else
        echo "FAIL not within $2"
        cat "$work/log"
        bad=1
    fi
}
check "${BASIN%/basin}/libbasin.a" 1e-5
check "${BASIN%/basin}/f64/libbasin.a" 1e-10 -DBS_DOUBLE
exit $bad

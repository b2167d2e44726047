# Published parts, equal photos and the IoU of the mean training mask, as stated with the data
# (of the hair, only the second is stated).
[ -d "$DATA/img" ] || { echo "skip: no images in $DATA"; exit 77; }
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
# shellcheck disable=SC2046
${CC:-gcc} -std=c11 -D_POSIX_C_SOURCE=200809L -D_DEFAULT_SOURCE -O2 -I"$TOP/include" -I"$TOP/src" "$TOP/tests/real/images_driver.c" \
    -o "$work/driver" "${BASIN%/basin}/libbasin.a" -fopenmp -lm \
    $(pkg-config --libs libarchive libpng libjpeg expat jansson zlib libxxhash libpcre2-8 libutf8proc) || exit 1
bad=0
check() { # file part facts scores
    got=$("$work/driver" "$DATA/img/$1" "$2" | paste -sd ' ')
    if [ "$got" = "$3 $4" ]; then
        echo "ok   $1: $got"
    else
        echo "FAIL $1: $got instead of $3 $4"
        bad=1
    fi
}
check weizmann_horses32.tar.xz test "328 160 40 128 0 0" "0.516 0.512"
check lfw_hair32.tar.xz valid "2000 1500 500 0 0 0" "0.375 0.323"
exit $bad

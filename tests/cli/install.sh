# A program compiled against an installed copy, found by pkg-config.
make -C "$TOP" -s B="$BUILD" PREFIX=/usr DESTDIR="$PWD/root" install > log 2>&1 || cat log
if nm -D "$(find root -name libbasin.so)" | grep -q "__[at]san"; then
    echo "skip: a library with sanitizers needs a program with them"
    exit 77
fi
(cd root/usr/share && find . -type f | LC_ALL=C sort | grep -v man1/basin-)
for page in $(basin --help | sed -n 's/^  \([a-z]*\)  .*/\1/p'); do
    [ -s "root/usr/share/man/man1/basin-$page.1" ] || echo "no page of $page"
done
export PKG_CONFIG_PATH=$(dirname "$(find root -name basin.pc)") PKG_CONFIG_SYSROOT_DIR=$PWD/root
cc -std=c11 -Wall -Wextra -Werror "$TOP/examples/predict.c" $(pkg-config --cflags --libs basin) -o predict
mkdir static && cp -r root/usr static/usr && find static -name 'libbasin.so*' -delete
export PKG_CONFIG_PATH=$(dirname "$(find static -name basin.pc)") PKG_CONFIG_SYSROOT_DIR=$PWD/static
cc -std=c11 -Wall -Wextra -Werror "$TOP/examples/predict.c" $(pkg-config --cflags --static --libs basin) -o static-predict
ldd static-predict | grep -c libbasin
export PKG_CONFIG_PATH=$(dirname "$(find root -name basin.pc)") PKG_CONFIG_SYSROOT_DIR=$PWD/root
export LD_LIBRARY_PATH=$(dirname "$(find "$PWD/root" -name libbasin.so)")
basin data make mlc --seed 2 --set rows=300 -o d.arff > made
basin train d.arff -q --method seal-nce --epochs 5 -o run > table
./predict run 1 2 3 | tail -n 1 | sed 's/^[0-9]* of/N of/'
./static-predict run 1 2 3 | cmp - <(./predict run 1 2 3) && echo "linked statically: the same"
./predict run 3 2 1 2>&1 || echo "status $?"
./predict nowhere 2>&1 || echo "status $?"
cc -std=c11 -Wall -Wextra -Werror "$TOP/examples/tag.c" $(pkg-config --cflags --libs basin) -o tag
for i in 1 2 3 4 5 6 7 8; do
    printf 'Ada S-PER\nlikes O\nNew B-LOC\nYork E-LOC\n\nBen S-PER\nsees O\nOslo S-LOC\n\n'
done > ner.conll
basin train ner.conll -q --method ce --epochs 80 --set net.width=16 --set lr.net=0.05 -o ner > table
./tag ner Ada likes New York | sed 's/ [01]\.[0-9]*$//'
./tag run Ada 2>&1 || echo "status $?"
cc -std=c11 -Wall -Wextra -Werror "$TOP/examples/segment.c" $(pkg-config --cflags --libs basin) -o segment
basin data make seg --set images=12 --set size=16 -o shapes > made
basin train shapes -q --method ce --epochs 1 --set net.width=4 --set report=no -o masks > table
{ printf 'P6 20 10 255\n'; head -c 600 /dev/zero | tr '\0' 'a'; } > photo.ppm
./segment masks photo.ppm mask.pgm | awk '{ n += $3; print $1, $2 } END { print n }'
head -n 1 mask.pgm; wc -c < mask.pgm
./segment masks made mask.pgm 2>&1 || echo "status $?"
./segment run photo.ppm mask.pgm 2>&1 || echo "status $?"

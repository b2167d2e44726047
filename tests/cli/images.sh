# Folders and archives that are not as they should be: messages that say what is wrong with them,
# before anything is trained. (What is right is in seg.sh.)
why() { sed "s/damaged archive: .*/damaged archive/"; } # the rest is a word of libarchive
try() { "$@" > said 2>&1; local status=$?; why < said; echo "status $status"; }
notes() { basin data inspect "$@" 2>&1 | grep "^note\|^basin\|^format" | why; }
basin data make seg --seed 3 --set images=12 --set size=16 --set holes=0 -o d > made
train="basin train d -q --method ce --epochs 1 --set net.width=2 --set seg.crops=1 --set report=no"
$train -o run > table

echo "== nothing that is read"
mkdir none other && echo GIF89a > other/a.tif && echo GIF89a > other/b.gif && echo GIF89a > c.gif
try basin data inspect none
try basin data check other
try basin train other
try basin predict run other
try basin predict run c.gif
try basin data inspect run
cp other/b.gif d/images && notes d; rm d/images/b.gif

echo "== archives"
tar cf none.tar -T /dev/null
: > nothing.tar.gz
(cd d && tar cf ../all.tar images masks && cd images && tar cPf ../../up.tar ../images ../masks)
head -c 9000 all.tar > cut.tar
head -c 100 all.tar > short.tar
for file in none.tar nothing.tar.gz cut.tar short.tar up.tar; do notes $file; done
try basin train none.tar
try basin eval run cut.tar

echo "== a folder holds one data set"
make="basin data make seg --set size=16 --set holes=0"
try $make --seed 4 --set images=12 -o d | tail -n 1
try $make --set images=6 -o d | sed 's/[0-9]*\.png/N.png/'
try basin data convert d -o d | tail -n 1

echo "== links in archives, and those that lead round in circles"
mkdir -p linked/images && cp -r d/masks linked/masks
for photo in d/images/*; do ln -s ../../$photo linked/images/; done
tar cf soft.tar linked && rm -r linked/images && mkdir linked/images
cp d/images/* linked/images && first=$(ls linked/images | head -n 1)
ln linked/images/$first linked/images/z.png && tar cf hard.tar --sort=name linked && mkdir only
ln -s ../d only/d && tar cf only.tar only && rm linked/images/z.png
ln -s .. linked/images/up
for data in soft.tar hard.tar only.tar linked; do
    notes $data | sed 's/such as [^:]*/such as NAME/'
done

echo "== what data make understands"
basin data make --help | grep -o "make: see '.*'"
basin list generators | sed -n '/make seg/,/^$/p' | grep . | cut -d' ' -f 1-4 | tr -s ' ' | tr '\n' ' '; echo

# split and convert write photos as they are; a common size is for training
basin data make seg --set images=6 --set size=16 -o sizes/a > made
basin data convert sizes/a -o sizes/b --set image.size=40x24 2> note
mkdir -p mixed/images mixed/masks
for part in images masks; do
    i=0
    for f in sizes/a/$part/*.png; do i=$((i + 1)); cp $f mixed/$part/a$i.png; done
    i=0
    for f in sizes/b/$part/*.png; do i=$((i + 1)); cp $f mixed/$part/b$i.png; done
done
basin data convert mixed -o whole 2> note
for name in a1 b1; do od -A n -j 16 -N 8 -t u1 whole/images/$name.png; done
basin data split mixed -o cut --shares 50,50 > made 2> note
for f in cut-*/images/*.png; do od -A n -j 16 -N 8 -t u1 $f; done | sort | uniq -c

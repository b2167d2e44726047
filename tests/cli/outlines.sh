# Photos as Pascal VOC and COCO have them: inspect, train, eval, predict. (What is refused, and
# what is drawn pixel by pixel, is in test_image_coco.c and test_image_set.c.)
basin data make seg --seed 3 --set images=12 --set size=16 --set holes=0 -o d > made
train="-q --method ce --epochs 1 --set net.width=2 --set seg.crop=none --set report=no"
notes() { basin data inspect "$@" | grep "^note\|^classes\|^parts"; }
try() { basin "$@" 2>&1; echo "status $?"; }
last() { tail -n 1 | sed 's/, [0-9]* images.s//'; }

echo "== Pascal VOC"
mkdir -p voc/VOC2012/ImageSets/Segmentation voc/VOC2012/ImageSets/Main
cp -r d/images voc/VOC2012/JPEGImages && cp -r d/masks voc/VOC2012/SegmentationClass
cp -r d/masks voc/VOC2012/SegmentationObject && cp d/images/*01.png voc/VOC2012/JPEGImages/extra.png
list=voc/VOC2012/ImageSets/Segmentation
ls d/images | sed 's/\.png//' > $list/trainval.txt
head -n 8 $list/trainval.txt > $list/train.txt && tail -n 4 $list/trainval.txt > $list/val.txt
cp $list/val.txt voc/VOC2012/ImageSets/Main/train.txt
notes voc
basin train voc $train -o voc-run > table
basin eval voc-run voc --part valid | last
basin predict voc-run voc/VOC2012/JPEGImages -o voc-masks
ls voc-masks | wc -l

echo "== COCO: the same photos, outlines of two of them"
mkdir -p coco/annotations && cp -r d/images coco/train2017
names=$(ls d/images)
{
    printf '{"info": {}, "images": ['
    i=0
    for name in $names; do
        i=$((i + 1)); [ $i = 1 ] || printf ', '
        printf '{"id": %d, "file_name": "%s", "width": 16, "height": 16}' $i $name
    done
    printf '], "annotations": ['
    printf '{"id": 1, "image_id": 1, "category_id": 3, "segmentation": [[2, 2, 9, 2, 9, 9, 2, 9]]}, '
    printf '{"id": 2, "image_id": 1, "category_id": 2, "segmentation": [[4, 4, 7, 4, 7, 7]]}, '
    printf '{"id": 3, "image_id": 2, "category_id": 3, "iscrowd": 1, "segmentation": '
    printf '{"size": [16, 16], "counts": [32, 100, 124]}}], '
    printf '"categories": [{"id": 3, "name": "box"}, {"id": 2, "name": "corner"}]}\n'
} > coco/annotations/instances_train2017.json
json=coco/annotations/instances_train2017.json
notes coco
notes $json
basin train coco $train -o coco-run > table
basin eval coco-run $json | last
basin predict coco-run $json -o coco-masks
basin predict coco-run coco -o coco-all
diff -r coco-masks coco-all && echo "the same masks"
basin data convert $json -o drawn 2> note && cat drawn/classes.txt
basin data inspect drawn | grep "^classes"
basin train $json --valid $json $train -o again 2> said > table; echo "status $?"

echo "== elsewhere"
cp $json alone.json
try data inspect alone.json
basin data inspect coco/train2017 alone.json | grep "^note\|^classes"
printf 'background\nbox\n' > wanted.txt
basin data inspect $json --set mask.names=wanted.txt | grep "^note\|^classes"
sed 's/"name": "corner"/"name": "cone"/' alone.json > $json
try eval coco-run $json
sed 's/\[\[4, 4, 7/[[44, 4, 47/; s/4, 7, 7\]/4, 47, 7]/' alone.json > $json
try train coco -q
head -c 700 alone.json > $json
try train coco -q

echo "== many classes"
try train voc -q --method ce --set image.size=64x64 --set mask.full=no --set mask.classes=255 \
    --set image.max_mb=1 -o large
basin train voc $train --set image.size=8x8 --set mask.full=no -o small > table && echo "evaluated at 8 x 8"

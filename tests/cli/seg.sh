# Photos and masks: train, evaluate, predict, draw; the same bytes for any number of threads and
# after kill -9. The data names its own parts.
basin data make seg --seed 3 --set images=40 --set size=16 --set noise=8 --set contrast=80 \
    --set holes=0 -o d.tar
basin data inspect d.tar 2> /dev/null
basin data split d.tar -o part --shares 75,25
basin data check part-train 2> /dev/null | head -n 1
basin data convert part-test -o part-test.zip
basin data inspect part-test.zip 2> /dev/null | head -n 1
basin data make seg -o x --format csv
echo "status $?"
ce="basin train d.tar -q --method ce --epochs 2 --set net.width=8 --set seg.crops=4 --seed 1"
$ce --threads 1 -o one > table
head -n 1 table | tr -s ' '
$ce --threads 2 -o two > table
$ce --threads 3 -o three > table
cmp one/best.safetensors two/best.safetensors && echo "1 and 2 threads: same model"
cmp one/best.safetensors three/best.safetensors && echo "1 and 3 threads: same model"

# killed at moments all over the run; every resume goes on from the last checkpoint
more="$ce --epochs 15 --set checkpoint.seconds=0"
$more --threads 1 -o whole > table
for pause in 0.1 0.2 0.3 0.4; do
    $more --threads 2 --resume -o killed > table 2> messages & pid=$!
    sleep $pause
    kill -9 $pid 2> /dev/null
    wait $pid 2> /dev/null
done
$more --threads 2 --resume -o killed > table
cmp whole/best.safetensors killed/best.safetensors && echo "killed and resumed: same model"

# the task and its default method are found from the data
basin train d.tar -q --epochs 1 --set net.width=4 --trials 1 --json -o plain | grep -o '"task": "seg", "method": "ce"'

# net and energy
basin train d.tar --method seal-regression --epochs 2 --set net.width=4 --set energy.hidden=8 --set seg.crops=4 -o seal \
    --json 2> messages | tr ',' '\n' | grep '"task"\|"method"\|"test"' | cut -d: -f1-2
grep -o 'task seg, method seal-regression' messages
grep -c 'the part of that name' messages
basin train d.tar -q --method alen --epochs 1 --set net.width=4 --set net.kind=fcn2 \
    --set energy.kind=map --set gbi.steps=2 --set seg.crops=1 -o alen > table && echo "alen: done"

# metrics of the test part, unless another is asked for
basin eval seal d.tar --json 2> messages | tr ',{' '\n\n' | grep '"n"\|_iou\|accuracy' | cut -d: -f1
cat messages
basin eval seal d.tar --part all --json | grep -o '"n": [0-9]*'
basin eval seal d.tar --per-label 2> messages | tail -n 3 | cut -c 1-11
basin eval seal d.tar --infer gbi --part valid --json | grep -o '"infer": "gbi"'

# masks into a folder, beside them arrays and pictures; one photo to one file; counts as text
basin predict seal d.tar --part test -o out --scores --overlay
ls out | sed 's/.*\.//' | sort | uniq -c | tr -s ' '
ls out/overlay | wc -l
n=$(ls out/*.png | wc -l)
[ "$n" = "$(basin predict seal d.tar --part test | wc -l)" ] && echo "one line a photo"
tar xf d.tar
photo=$(ls images/*.png | head -n 1)
basin predict seal $photo -o mask.png && head -c 4 mask.png | tail -c 3; echo
basin predict seal $photo --format png | cmp - mask.png && echo "stdout: same"
basin predict seal $photo --overlay -o drawn.png && head -c 4 drawn.png | tail -c 3; echo
basin predict seal $photo -o p.npy && head -c 80 p.npy | tail -c 70 | tr -d '\0-\11' | cut -c 1-63
basin predict seal $photo --energy | grep -o '"[a-z]*":' | tr '\n' ' '; echo
mkdir set && cp $photo set/a.png && basin predict seal set -o predicted && ls predicted

# what does not fit is refused
# standard input: a picture or an archive
basin predict seal - < $photo -o - | sed 's/"pixels".*//'
basin predict seal - -o piped < $photo && cmp piped/stdin.png mask.png && echo "piped: same"
tar cf - set | basin predict seal - | sed 's/"pixels".*//'
echo text | basin predict seal - 2>&1
head -c 200 $photo | gzip -c | head -c 100 | basin predict seal - 2>&1; echo "status $?"
basin eval seal - < $photo 2>&1

# large photos: not all outputs are held at a time
basin data convert d.tar -o large --set image.size=600x500 2> messages
basin predict seal large/images -q -o many && ls many | wc -l
basin predict seal large/images -q > counts && wc -l < counts
basin predict seal $(ls large/images/*.png | tail -n 1) -o last.png && cmp last.png many/$(ls many | tail -n 1) && echo "the last one: same"

basin predict seal d.tar -o all.png 2>&1
basin predict seal $photo -o mask.jpg 2>&1
basin predict seal $photo -o mask.png --scores 2>&1
basin predict seal d.tar --json 2>&1
basin predict seal d.tar --threads many 2>&1
basin predict seal d.tar --format csv 2>&1
basin predict seal d.tar --scores 2>&1
basin predict seal d.tar -o x --energy 2>&1
basin predict seal d.tar --top-k 2 2>&1
basin predict seal d.tar --part some 2>&1
basin eval seal d.tar --threshold 0.4 2>&1
basin eval seal set 2>&1
basin train d.tar --method crf 2>&1
basin train d.tar --set seg.crop=big 2>&1 | tail -n 1
basin train d.tar --set net.kind=fcn3 2>&1 | tail -n 1

# every method that is for images trains on them
basin list methods | grep '(.*seg.*)$' | cut -d' ' -f1 | while read -r method; do
    basin train d.tar -q --method $method --epochs 1 --set report=no --set pretrain.epochs=1 --set net.width=2 \
        --set energy.hidden=4 --set seg.crops=1 --set gbi.steps=2 --set gbi.test_steps=2 \
        --set samples=2 --set implicit.terms=1 -o all/$method > table && echo "$method: done"
done

# tables of comparisons count images
basin compare d.tar -q --methods ce,alen --seeds 1 --epochs 1 --set report=no --set net.width=2 --set energy.hidden=4 \
    --set pretrain.epochs=1 --set seg.crops=1 --set gbi.steps=2 -o compared > table
grep -o 'images/s\|^[0-9]* test images\|over images\|rows\|Conventions' table | sort | uniq -c | tr -s ' '
grep -o 'images/s</th>\|images/s of training' compared/compare.html | sort -u

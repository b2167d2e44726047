# Sentences as people have them: JSON rows of words and of texts, BRAT, tables with one word per row; models
# trained on them, spans that come back as characters, and one format turned into another.
try() { "$@" 2>&1; echo "status $?"; }

# Texts in four ways of writing spans; offsets count characters, of which some have several bytes.
texts() {
    for _ in $(seq "$1"); do
        for place in Oslo Rome Łódź; do
            n=${#place}
            printf '{"id": "%s", "text": "Ada Lund likes %s, 👍 says Ben.\\nIn %s it rains.", ' "$place" $place $place
            printf '"spans": [{"start": 0, "end": 8, "label": "PER"}, {"start": 15, "end": %d, "label": "LOC"}, ' $((15 + n))
            printf '{"start": %d, "end": %d, "label": "PER"}, {"start": %d, "end": %d, "label": "LOC"}]}\n' \
                $((24 + n)) $((27 + n)) $((32 + n)) $((32 + 2 * n))
        done
    done
}
export LC_ALL=C.UTF-8
texts 20 > train.jsonl
texts 1 > test.jsonl
train="basin train -q --method ce --epochs 8 --set net.width=16 --set lr.net=0.03 --set report=no --seed 1"

echo "== texts"
basin data inspect train.jsonl
$train train.jsonl -o ner > table
basin eval ner test.jsonl -q | awk '$1 == "span_f1" { print "span F1", $2 }'
basin predict ner test.jsonl -q | cmp - test.jsonl && echo "the same spans"
sed 's/, "spans".*/}/' test.jsonl > bare.jsonl
basin predict ner bare.jsonl -q | cmp - test.jsonl && echo "the same without them"
basin predict ner bare.jsonl -q -o out.jsonl && cmp out.jsonl test.jsonl && echo "by its ending"
gzip -k bare.jsonl
basin predict ner - -q < bare.jsonl.gz | cmp - test.jsonl && echo "from a pipe, compressed"
printf 'Ada Lund likes Łódź, 👍 says Ben.\n\nIn Rome it rains.\n' > plain
basin predict ner plain
basin predict ner plain -q --format spans --scores | grep -c '"scores": \[[01][.0-9]*, [01][.0-9]*, [01][.0-9]*\]}'
basin predict ner plain -q --format tokens | head -n 2
basin predict ner plain -q --format conll | head -n 3 | tr '\t' ' '
try basin predict ner plain --format csv --scores
try basin predict ner plain --format brat
$train train.jsonl --method crf --epochs 1 -o crf > table
try basin predict crf bare.jsonl --nbest 2 --format jsonl
basin predict crf bare.jsonl -q --nbest 2 --format tokens | grep -o '"nbest"' | wc -l

echo "== one format and another"
basin data convert train.jsonl -q --format brat -o brat && ls brat | wc -l && cat brat/000002.ann
basin data convert brat -q --format conll -o brat.conll
for format in conll conllu tokens csv; do
    basin data convert train.jsonl -q --format $format -o as.$format
    basin data convert as.$format -q --format conll -o again.conll
    # marks of documents are only between columns
    grep -v -e -DOCSTART- again.conll | cat -s | sed '1{/^$/d}' > words
    grep -v -e -DOCSTART- brat.conll | cat -s | sed '1{/^$/d}' | cmp - words && echo "$format has the same words and tags"
done
sed 3q as.csv
sed 1q as.tokens
printf 'Ada NNP B-PER\nsees VBZ O\n' > features.conll
basin data convert features.conll -q --set text.feature_columns=2 --format tokens -o features.jsonl && cat features.jsonl
try basin data convert as.csv -q -o here.arff
basin data convert as.tokens -q -o here.jsonl && cmp here.jsonl as.tokens && echo "rows of words stay so"
basin data convert brat -q -o there.jsonl && cut -d , -f 3- there.jsonl > a && cut -d , -f 3- train.jsonl | cmp - a && echo "texts stay so"

echo "== BRAT"
$train brat -o marked > table && cmp ner/best.safetensors marked/best.safetensors && echo "the same model"
mkdir some && cp brat/000001.* brat/000002.txt some
basin predict marked some -q
basin predict marked some -q --format brat -o found && cmp found/000001.ann brat/000001.ann && echo "spans as they were marked"
basin data check some
basin data inspect some/000001.txt | head -n 1
sed -i 's/^T1\tPER 0 8/T1\tPER 0 7/' some/000001.ann && try basin data check some/000001.ann
mkdir empty && try basin train empty --task tag
basin data split brat -q -o part > table && ls -d part-* && ls part-valid | wc -l

echo "== rows of words"
basin data convert train.jsonl -q --format tokens -o words.jsonl
basin data convert train.jsonl -q --format csv -o words.csv
$train words.jsonl -o tokens > table
$train words.csv -o rows > log && cmp tokens/best.safetensors rows/best.safetensors && echo "the same model"
cat > numbers.jsonl << 'END'
{"id": 0, "tokens": ["Ada", "Lund", "sees", "Rome"], "pos_tags": [1, 1, 2, 1], "ner_tags": [1, 2, 0, 3]}
{"id": 1, "tokens": [], "pos_tags": [], "ner_tags": []}
{"id": 2, "tokens": ["Ben", "sleeps"], "pos_tags": [1, 2], "ner_tags": [1, 0]}
END
basin data inspect numbers.jsonl | grep '^tags\|without names'
basin data inspect numbers.jsonl --tag-names O,B-PER,I-PER,B-LOC | grep '^tags\|^next'
printf 'O\nB-PER\nI-PER\nB-LOC\n' > numbers.labels
basin data inspect numbers.jsonl | grep '^tags\|names of'
mkdir hub && cp numbers.jsonl hub/train.jsonl
cat > hub/dataset_info.json << 'END'
{"features": {"ner_tags": {"feature": {"names": ["O", "B-PER", "I-PER", "B-LOC"], "_type": "ClassLabel"}, "_type": "Sequence"}}}
END
basin data inspect hub/train.jsonl | grep '^tags\|names of'
sed 's/}/, "part": 2}/' numbers.jsonl > valid.jsonl && cp numbers.labels valid.labels
$train numbers.jsonl -o many --valid valid.jsonl > log
mv numbers.labels gone && basin eval many numbers.jsonl -q | awk '$1 == "token_accuracy" { print "the model knows the names" }'
basin predict many numbers.jsonl -q | sed 's/"tags": [^]]*]/"tags"/; s/"spans".*/.../'
$train numbers.jsonl --valid valid.jsonl -o bare --feature-columns none --tag-names O,B-PER,I-PER,B-LOC > log
printf 'Ada sleeps\n' > line
try basin predict many line
try basin predict many bare.jsonl
basin predict bare line -q | awk 'NF { print $1, NF }'

echo "== tables"
printf 'Sentence #,Word,POS,Tag\nSentence: 1,Ada,NNP,B-per\n,"says, ""x""",VB,O\nSentence: 2,Ben,NNP,B-per\n' > ner.csv
basin data inspect ner.csv | head -n 5
sed s/Ben/Eve/ ner.csv > valid.csv && $train ner.csv --valid valid.csv -o kaggle > log
basin predict kaggle ner.csv -q | cut -d , -f 1-5 | sed 's/,[^,]*$/,.../'
LC_ALL=C sed 's/Ben/Andr\xe9/' ner.csv > latin.csv && try basin data check latin.csv
iconv -f WINDOWS-1252 -t UTF-8 latin.csv > utf8.csv && basin data check utf8.csv | head -n 1

echo "== what is counted and told"
printf '%s\n' '{"text": "Oslo is far", "label": [[1, 3, "LOC"], [0, 4, "CITY"], [4, 5, "GAP"]]}' '{"text": "no"}' > odd.jsonl
basin data check odd.jsonl | grep '^note'

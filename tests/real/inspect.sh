# Counts of every multi-label file as stated with the data, within 2 seconds each (imdb: 15).
bad=0
check() { # file rows attributes labels cardinality
    file=$DATA/mlc/$1
    [ -e "$file" ] || { echo "missing: $1"; bad=1; return; }
    start=$(date +%s%N)
    got=$(basin data inspect "$file" --json | sed 's/[{}",]/ /g' |
        awk '{for (i = 1; i < NF; i++) {
                  if ($i == "rows" && !r) r = $(i + 2); if ($i == "labels" && !l) l = $(i + 2)
                  if ($i == "cardinality") c = $(i + 2) }
              printf "%d %d %.2f", r, l, c}')
    ms=$((($(date +%s%N) - start) / 1000000))
    limit=2000
    case $1 in imdb*) limit=15000 ;; esac
    want="$2 $3 $4"
    if [ "$got" = "$want" ] && [ $ms -lt $limit ]; then
        echo "ok   $1: $got, $ms ms"
    else
        echo "FAIL $1: $got instead of $want, $ms ms"
        bad=1
    fi
}
check bibtex/bibtex-train.arff.gz 4880 159 2.38
check bibtex/bibtex-test.arff.gz 2515 159 2.44
check delicious/delicious-train.arff.gz 12920 983 19.05
check delicious/delicious-test.arff.gz 3185 983 18.91
check genbase/genbase.arff.gz 662 27 1.25
check cal500/cal500.arff.gz 502 174 26.04
check emotions/emotions-train.arff.gz 391 6 1.81
check scene/scene-train.arff.gz 1211 6 1.06
check flags/flags-train.arff.gz 129 7 3.42
check tmc2007-500/tmc2007-500-train.arff.gz 21519 22 2.23
check spo_fun/spo_FUN.train.arff.gz 1600 499 8.74
check seq_fun/seq_FUN.train.arff.gz 1701 499 8.54
check cellcycle_fun/cellcycle_FUN.train.arff.gz 1628 499 8.72
check derisi_fun/derisi_FUN.train.arff.gz 1608 499 8.76
check eisen_fun/eisen_FUN.train.arff.gz 1058 461 9.21
check imdb/Imdb.arff.bz2 120919 28 2.00
exit $bad

# Files of rows with labels: what is written must be read back, and nothing is lost in silence.
try() { "$@" 2>&1; echo "status $?"; }
basin data make mlc --seed 3 --set rows=60 --set groups=2 --set words=2 --set noise=2 -o d.arff > made

# parts have names of their own, one each
try basin data split d.arff -o spl --shares 80,20 --names a,a
try basin data split d.arff -o spl --shares 50,50 --names a
try basin data split d.arff -o spl --shares 50,50 --names a,
ls spl* 2> none || echo "nothing written"

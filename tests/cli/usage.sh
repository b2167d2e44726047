# What the tool says when it is asked, or asked wrongly. Status 2 = misused.
try() { "$@" 2>&1; echo "status $?"; }
basin --version
try basin
try basin trian
try basin train
try basin train x.arff --metod ce
try basin train x.arff --seeds zero
try basin train x.arff --set epochs=ten
try basin train x.arff --epochs 0
try basin train x.arff --set net.widht=3
try basin train x.arff --set nonsense
try basin train x.arff --preset seal/bibtx
try basin train x.arff --resume
try basin eval
try basin predict m
try basin list things
try basin data
try basin data inspekt f
try basin data make
try basin list methods

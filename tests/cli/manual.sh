# Pages of the manual are what mandoc takes for good.
command -v mandoc > which || { echo "skip: no mandoc"; exit 77; }
. "$TOP/tests/cli/complete.bash"
basin --generate man > basin.1
basin --generate man settings > basin-settings.7
for verb in $verbs; do basin --generate man "$verb" > "basin-$verb.1"; done
mandoc -Tlint ./*.1 ./*.7 && echo "no complaint"

# Pages of the manual and completions, which are made of the option tables; see also manual.sh.
. "$TOP/tests/cli/complete.bash"
basin --generate man > page
for verb in $verbs; do
    grep -q "basin-$verb (1)" page || echo "basin(1): no $verb"
    basin --generate man "$verb" | sed 's/\\-/-/g; s/\\fR/ /g' | sed -n 's/^\\fB.*\(--[a-z-]*\) .*/\1/p' |
        sort | diff - <(options "$verb") || echo "the page of $verb"
done
basin --generate man settings | sed 's/\\-/-/g' | sed -n 's/^\\fB\([^\\]*\)\\fR.*/\1/p' |
    diff - <(basin list options | sed -n 's/^  \([^ ][^ ]*\) .*/\1/p') && echo "every setting is in the manual"
check_shell bash
for args in '' 'fish train' 'man trian' csh; do basin --generate $args 2>&1; echo "status $?"; done

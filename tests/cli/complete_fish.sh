# The completion for fish.
command -v fish > which || { echo "skip: no fish"; exit 77; }
. "$TOP/tests/cli/complete.bash"
check_shell fish

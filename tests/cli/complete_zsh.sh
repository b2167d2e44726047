# The completion for zsh.
command -v zsh > which || { echo "skip: no zsh"; exit 77; }
. "$TOP/tests/cli/complete.bash"
check_shell zsh

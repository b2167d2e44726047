# Sourced by the tests of completions: those that `basin --generate SHELL` prints offer all verbs,
# options and names.
verbs=$(basin --help | sed -n 's/^  \([a-z]*\)  .*/\1/p')
options() { basin "$1" --help | sed -n 's/^  \(-., \)\{0,1\}\(--[a-z-]*\).*/\2/p' | sort; }

in_bash() {
    bash --norc -c '
        source ./basin.bash
        COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
        _basin
        printf "%s\n" "${COMPREPLY[@]}"' bash "$@"
}

# zsh completes in a terminal only; there everything that becomes a candidate is printed.
in_zsh() {
    cat > complete.zsh << 'END'
zmodload zsh/zpty
zpty z zsh -f -i
zpty -w z 'PS1= PROMPT=; stty -echo; autoload -Uz compinit; compinit -u -d ./dump; source ./basin.zsh; compdef _basin basin'
zpty -w z 'compadd() { local -a found; builtin compadd -O found "$@"; print -rl -- "+${^found}"; builtin compadd "$@" }'
zpty -w z 'show() { print BEGIN; _main_complete; print E""ND }; zle -C show list-choices show; bindkey "^I" show; print RE""ADY'
zpty -r z line '*READY*'
zpty -w -n z "$*"$'\t'
zpty -r z line '*END*'
print -r -- ${line#*BEGIN}
END
    timeout 60 zsh -f complete.zsh "$@" | tr -d '\r' | tr ' ' '\n' |
        sed -n 's/^+\{0,1\}\([a-z-][a-z._-]*=\{0,1\}\)$/\1/p'
}

in_fish() { fish --no-config -c 'source ./basin.fish; complete -C "$argv"' "$@" | cut -f 1; }

# offers SHELL "NAME..." WORD...: the last word is completed by all these names.
offers() {
    "in_$1" "${@:3}" | sort > offered
    tr ' ' '\n' <<< "$2" | sort | comm -23 - offered | paste -sd ' ' > lacks
    grep -q . lacks && echo "$1, ${*:3}: lacks $(cat lacks)"
}

check_shell() {
    export HOME=$PWD XDG_CONFIG_HOME=$PWD # what shells write
    basin --generate "$1" > "basin.$1"
    offers "$1" "${verbs//$'\n'/ } help" basin ''
    for verb in $verbs; do offers "$1" "$(options "$verb" | paste -sd ' ')" basin "$verb" --; done
    offers "$1" "inspect check split convert make" basin data ''
    offers "$1" "methods metrics" basin list m
    offers "$1" "seal-nce spen" basin train --method s
    offers "$1" "lr.net= lr.energy=" basin train --set lr.
    echo "every verb and option"
}

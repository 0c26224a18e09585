# As if the words from this one on stood alone.
_laconic_command() {
    local name spec
    if declare -F _comp_command_offset >/dev/null; then
        _comp_command_offset "$1"
    elif declare -F _command_offset >/dev/null; then
        _command_offset "$1"
    elif ((COMP_CWORD == $1)); then
        COMPREPLY=($(compgen -c -- "${COMP_WORDS[COMP_CWORD]}"))
    else
        name=${COMP_WORDS[$1]}
        spec=$(complete -p -- "$name" 2>/dev/null)
        [[ $spec =~ \ -F\ ([^ ]+) ]] || return 0
        COMP_WORDS=("${COMP_WORDS[@]:$1}")
        COMP_CWORD=$((COMP_CWORD - $1))
        COMP_LINE="${COMP_WORDS[*]}"
        COMP_POINT=${#COMP_LINE}
        set -- "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD - 1]}"
        "${BASH_REMATCH[1]}" "$name" "$@"
    fi
}
_laconic_values() {
    "$1" completions --values "$2" 2>/dev/null | cut -f 1
}
_laconic() {
    local path="" words="" kind="" i before cur="${COMP_WORDS[COMP_CWORD]}"
    for ((i = 1; i < COMP_CWORD; i++)); do
        case "${path:+$path }${COMP_WORDS[i]}" in
            @paths@) path="${path:+$path }${COMP_WORDS[i]}" ;;
        esac
        case "$path" in
            @running@) break ;;
        esac
    done
    case "$path" in
        @running@)
            for ((i++; i < COMP_CWORD; i++)); do
                case "${COMP_WORDS[i]}" in
                    @taking@) ((i++)) ;;
                    -*) ;;
                    *) break ;;
                esac
            done
            if ((i <= COMP_CWORD)) && [[ ${COMP_WORDS[i]} != -* ]]; then
                _laconic_command "$i"
                return
            fi
            ;;
    esac
    case "$path" in
@words@
    esac
    before=${COMP_WORDS[COMP_CWORD - 1]}
    if [[ $cur == = ]]; then
        cur=""
    elif [[ $before == = ]]; then
        before=${COMP_WORDS[COMP_CWORD - 2]}
    fi
    case "${path:+$path }$before" in
@kinds@
        *) [[ $cur == -* ]] || words="$words $kind" ;;
    esac
    for kind in $words; do
        case "$kind" in
            @ask@)
                words="${words/$kind/} $(_laconic_values "${COMP_WORDS[0]}" "${kind#@}")"
                ;;
            @files)
                COMPREPLY=($(compgen -f -- "$cur"))
                return
                ;;
            @directories)
                COMPREPLY=($(compgen -d -- "$cur"))
                return
                ;;
        esac
    done
    COMPREPLY=($(compgen -W "$words" -- "$cur"))
}
complete -o default -F _laconic laconic

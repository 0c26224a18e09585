#compdef laconic
_laconic() {
    local where="" kind="" word
    local -a entries found
    local -i i
    for ((i = 2; i < CURRENT; i++)); do
        word=$words[i]
        case "${where:+$where }$word" in
            @paths@) where="${where:+$where }$word" ;;
        esac
        case "$where" in
            @running@) break ;;
        esac
    done
    case "$where" in
        @running@)
            for ((i++; i < CURRENT; i++)); do
                case "$words[i]" in
                    @taking@) ((i++)) ;;
                    -*) ;;
                    *) break ;;
                esac
            done
            if ((i <= CURRENT)) && [[ $words[i] != -* ]]; then
                words=("${(@)words[i,-1]}")
                ((CURRENT -= i - 1))
                _normal
                return
            fi
            ;;
    esac
    case "$where" in
@words@
    esac
    case "${where:+$where }$words[CURRENT-1]" in
@kinds@
    esac
    case "$kind" in
        "") ;;
        @ask@)
            found=("${(@f)$($words[1] completions --values ${kind#@} 2>/dev/null)}")
            found=("${(@)found//:/\\:}")
            entries+=("${(@)found/$'\t'/:}")
            ;;
        @files) _files; return ;;
        @directories) _files -/; return ;;
        *) entries+=(${(s: :)kind}) ;;
    esac
    _describe laconic entries || _files
}
if [[ "${funcstack[1]}" == _laconic ]]; then _laconic "$@"; else compdef _laconic laconic; fi

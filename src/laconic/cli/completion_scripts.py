"""Writes completions for bash, zsh and fish.

The words are in the script; values that change (ids, names of filters) are asked of `laconic
completions --values KIND`. After `laconic run` the shell completes the rest as a line of its own.

https://www.gnu.org/software/bash/manual/html_node/Programmable-Completion.html
https://zsh.sourceforge.io/Doc/Release/Completion-System.html
https://fishshell.com/docs/current/completions.html
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from laconic.cli.completion_values import KINDS
from laconic.shell.words import quoted

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from laconic.cli.completions import Level, Word

_ASKED = frozenset(KINDS)
_PLACES = frozenset(("files", "directories"))
_ASK = "|".join(f"@{kind}" for kind in sorted(_ASKED))


def _marked(kind: str) -> str:
    """Tell a kind of value from a word: there is a command `filters`, too."""
    return f"@{kind}" if kind in _ASKED | _PLACES else kind


def _paths(tree: Sequence[Level]) -> str:
    return "|".join(f'"{level.path}"' for level in tree if level.path)


def _running(tree: Sequence[Level]) -> str:
    return "|".join(level.path for level in tree if level.is_command)


def _taking(tree: Sequence[Level]) -> str:
    """Name the options before a command of another program that take a value."""
    options = {option for level in tree if level.is_command for option in level.values}
    return "|".join(sorted(options))


def _kinds(tree: Sequence[Level]) -> Iterable[tuple[str, str]]:
    """Return the kind of value that follows a path with an option."""
    for level in tree:
        for option, kind in level.values.items():
            yield f"{level.path} {option}".strip(), _marked(kind)


# -- bash ------------------------------------------------------------------------------------------


def bash(tree: Sequence[Level]) -> str:
    words = "\n".join(
        f'        "{level.path}") words="{" ".join(word.text for word in level.words)}"'
        f'; kind="{_marked(level.operand)}" ;;'
        for level in tree
    )
    kinds = "\n".join(f'        "{place}") words="{kind}" ;;' for place, kind in _kinds(tree))
    return f"""\
# As if the words from this one on stood alone.
_laconic_command() {{
    local name spec
    if declare -F _comp_command_offset >/dev/null; then
        _comp_command_offset "$1"
    elif declare -F _command_offset >/dev/null; then
        _command_offset "$1"
    elif ((COMP_CWORD == $1)); then
        COMPREPLY=($(compgen -c -- "${{COMP_WORDS[COMP_CWORD]}}"))
    else
        name=${{COMP_WORDS[$1]}}
        spec=$(complete -p -- "$name" 2>/dev/null)
        [[ $spec =~ \\ -F\\ ([^ ]+) ]] || return 0
        COMP_WORDS=("${{COMP_WORDS[@]:$1}}")
        COMP_CWORD=$((COMP_CWORD - $1))
        COMP_LINE="${{COMP_WORDS[*]}}"
        COMP_POINT=${{#COMP_LINE}}
        set -- "${{COMP_WORDS[COMP_CWORD]}}" "${{COMP_WORDS[COMP_CWORD - 1]}}"
        "${{BASH_REMATCH[1]}}" "$name" "$@"
    fi
}}
_laconic_values() {{
    "$1" completions --values "$2" 2>/dev/null | cut -f 1
}}
_laconic() {{
    local path="" words="" kind="" i before cur="${{COMP_WORDS[COMP_CWORD]}}"
    for ((i = 1; i < COMP_CWORD; i++)); do
        case "${{path:+$path }}${{COMP_WORDS[i]}}" in
            {_paths(tree)}) path="${{path:+$path }}${{COMP_WORDS[i]}}" ;;
        esac
        case "$path" in
            {_running(tree)}) break ;;
        esac
    done
    case "$path" in
        {_running(tree)})
            for ((i++; i < COMP_CWORD; i++)); do
                case "${{COMP_WORDS[i]}}" in
                    {_taking(tree)}) ((i++)) ;;
                    -*) ;;
                    *) break ;;
                esac
            done
            if ((i <= COMP_CWORD)) && [[ ${{COMP_WORDS[i]}} != -* ]]; then
                _laconic_command "$i"
                return
            fi
            ;;
    esac
    case "$path" in
{words}
    esac
    before=${{COMP_WORDS[COMP_CWORD - 1]}}
    if [[ $cur == = ]]; then
        cur=""
    elif [[ $before == = ]]; then
        before=${{COMP_WORDS[COMP_CWORD - 2]}}
    fi
    case "${{path:+$path }}$before" in
{kinds}
        *) [[ $cur == -* ]] || words="$words $kind" ;;
    esac
    for kind in $words; do
        case "$kind" in
            {_ASK})
                words="${{words/$kind/}} $(_laconic_values "${{COMP_WORDS[0]}}" "${{kind#@}}")"
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
}}
complete -o default -F _laconic laconic"""


# -- zsh -------------------------------------------------------------------------------------------


def zsh(tree: Sequence[Level]) -> str:
    words = "\n".join(
        f'        "{level.path}") entries=({" ".join(map(_zsh_word, level.words))})'
        f"; kind={quoted(_marked(level.operand))} ;;"
        for level in tree
    )
    kinds = "\n".join(
        f'        "{place}") entries=(); kind={quoted(kind)} ;;' for place, kind in _kinds(tree)
    )
    return f"""\
#compdef laconic
_laconic() {{
    local where="" kind="" word
    local -a entries found
    local -i i
    for ((i = 2; i < CURRENT; i++)); do
        word=$words[i]
        case "${{where:+$where }}$word" in
            {_paths(tree)}) where="${{where:+$where }}$word" ;;
        esac
        case "$where" in
            {_running(tree)}) break ;;
        esac
    done
    case "$where" in
        {_running(tree)})
            for ((i++; i < CURRENT; i++)); do
                case "$words[i]" in
                    {_taking(tree)}) ((i++)) ;;
                    -*) ;;
                    *) break ;;
                esac
            done
            if ((i <= CURRENT)) && [[ $words[i] != -* ]]; then
                words=("${{(@)words[i,-1]}}")
                ((CURRENT -= i - 1))
                _normal
                return
            fi
            ;;
    esac
    case "$where" in
{words}
    esac
    case "${{where:+$where }}$words[CURRENT-1]" in
{kinds}
    esac
    case "$kind" in
        "") ;;
        {_ASK})
            found=("${{(@f)$($words[1] completions --values ${{kind#@}} 2>/dev/null)}}")
            found=("${{(@)found//:/\\\\:}}")
            entries+=("${{(@)found/$'\\t'/:}}")
            ;;
        @files) _files; return ;;
        @directories) _files -/; return ;;
        *) entries+=(${{(s: :)kind}}) ;;
    esac
    _describe laconic entries || _files
}}
if [[ "${{funcstack[1]}}" == _laconic ]]; then _laconic "$@"; else compdef _laconic laconic; fi"""


def _zsh_word(word: Word) -> str:
    return quoted(f"{word.text}:{word.help}")


# -- fish ------------------------------------------------------------------------------------------

_FISH = r"""function __laconic_at
    set -l seen
    set -l skip 0
    for word in (commandline -opc)[2..]
        if test $skip = 1
            set skip 0
        else if contains -- $word @taking@
            set skip 1
        else if not string match -q -- '-*' $word
            set -a seen $word
        end
    end
    test "$seen" = "$argv"
end
function __laconic_in
    set -l seen (string match --invert -- '-*' (commandline -opc)[2..])
    for path in $argv
        set -l length (count (string split ' ' -- $path))
        test "$seen[1..$length]" = "$path"; and return 0
    end
    return 1
end
function __laconic_command
    set -l words (commandline -opc)[3..]
    while set -q words[1]; and string match -q -- '-*' $words[1]
        contains -- $words[1] @values@; and set -e words[1]
        set -e words[1]
    end
    if not set -q words[1]; and string match -q -- '-*' (commandline -ct)
        return
    end
    complete -C (string join ' ' -- (string escape -- $words) (commandline -ct))
end
function __laconic_values
    set -l program (commandline -opc)[1]
    $program completions --values $argv 2>/dev/null
end"""


def fish(tree: Sequence[Level]) -> str:
    taking = sorted({option for level in tree for option in level.values})
    before = sorted({option for level in tree if level.is_command for option in level.values})
    lines = _FISH.replace("@taking@", " ".join(taking)).replace("@values@", " ".join(before))
    return "\n".join([lines, "complete -c laconic -f", *_fish_lines(tree)])


def _fish_lines(tree: Sequence[Level]) -> Iterable[str]:
    running = " ".join(level.path for level in tree if level.is_command)
    yield (f"complete -c laconic -n {quoted(f'__laconic_in {running}')} -a '(__laconic_command)'")
    for level in tree:
        at = quoted(f"__laconic_at {level.path}".strip())
        deep = quoted(f"__laconic_in {quoted(level.path)}") if level.path else at
        for word in level.words:
            option = word.text.lstrip("-")
            flag = {0: f"-a {word.text}", 1: f"-s {option}", 2: f"-l {option}"}
            kind = flag[len(word.text) - len(option)]
            value = _fish_values(level.values[word.text]) if word.text in level.values else ""
            where = deep if word.text.startswith("-") else at
            needs = f" -r {value}".rstrip() if word.text in level.values else ""
            about = quoted(word.help)
            yield f"complete -c laconic -n {where} {kind}{needs} -d {about}"
        if level.operand and not level.is_command:
            yield f"complete -c laconic -n {deep} {_fish_values(level.operand)}"


def _fish_values(kind: str) -> str:
    """Say where values come from; files are what fish completes unless -f is given."""
    if kind in _ASKED:
        return f"-f -a '(__laconic_values {kind})'"
    if kind == "directories":
        return "-f -a '(__fish_complete_directories)'"
    if kind == "files":
        return "-F"
    return f"-f -a {quoted(kind)}" if kind else "-f"

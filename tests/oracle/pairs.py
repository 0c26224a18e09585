"""All pairs of constructs: every substitution at every place, every redirect on every command."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

# Each holds a command `evil` that must be found.
SUBSTITUTIONS = [
    "$(evil)", "`evil`", "$( evil )", "$(evil; true)", "$(\nevil\n)", "$(evil # )\n)",
    "${x:-$(evil)}", "${x+`evil`}", "${x#$(evil)}", "${x%%$(evil)}", "${x/$(evil)/b}",
    "${x//a/$(evil)}", "${x:$(evil):2}", "${x^^$(evil)}", "${a[$(evil)]}", "${a[`evil`]}",
    "${x:=${y:-$(evil)}}", "${!x:-$(evil)}", "${@:$(evil)}", "${#a[$(evil)]}",
    "$(( $(evil) + 1 ))", "$((`evil`))", "$[ $(evil) ]", "$((a[$(evil)]))",
    "$(( ${x:-$(evil)} ))", "$((evil); true)", "$( (evil) )", "$({ evil; })",
    "$(if evil; then :; fi)", "$(case x in x) evil;; esac)", "$(case x in (x) evil;; esac)",
    "$(evil <<E\n)\nE\n)", "$(: `evil`)", "`: $(evil)`", "`: \\`evil\\``", "$(: $(: $(evil)))",
    "$(<f evil)", "$(: '(' ; evil)", '$(: "(" ; evil)', "$(: \\( ; evil)",
]  # fmt: skip
# Only outside double quotes.
UNQUOTED_SUBSTITUTIONS = [
    "<(evil)", ">(evil)", "${x:-<(evil)}", "<(: | evil)", '$"$(evil)"', "<((evil))",
    "<( (evil) )",
]  # fmt: skip
# `@` is where the substitution stands.
PLACES = [
    "echo @", 'echo "@"', 'echo "a@b"', "echo a@b", "@", "x=@", 'x="@" y', "x+=@ cmd", "a[@]=1",
    "a=(@)", "a=([@]=1 b)", "a=(x\n@\ny)", "declare a=@", "export a=(@)", "> @", "cmd 2>@ <f",
    "cmd <<<@", 'cmd <<<"@"', "{v}>@ cmd", "cmd &> @", "for i in @; do :; done",
    "for i in a @ b\ndo :; done", "select i in @; do :; done", "case @ in a) ;; esac",
    "case x in @) ;; esac", "case x in (a|@) :;; esac", "if @; then :; fi", "while :; do @; done",
    "until @; do :; done", "[[ @ ]]", "[[ -n @ ]]", "[[ a == @ ]]", '[[ "@" != a ]]',
    "[[ @ =~ x ]]", "[[ x =~ @ ]]", "[[ ! ( @ < b ) ]]", "(( @ ))", "(( x = @ + 1 ))",
    "for (( i=@; i<2; i++ )); do :; done", "f() { @; }", "function f { : @; }", "( @ )", "{ @; }",
    "! @", "time @", "coproc @", "coproc X { @; }", "a | @", "a |& b @", "a && b || @", "a & @",
    "a; @", "a\n@", "a # x\n@", "cat <<E\n@\nE", 'cat <<E\n"@"\nE', "cat <<E\n'@'\nE",
    "cat <<-E\n\t@\n\tE", "cat <<E <<F\na\nE\n@\nF", "echo ${y:-@}", 'echo "${y:-@}"',
    'echo "${y:-"@"}"', "echo ${y:-'a'@}", 'echo ${y:-"a @"}', "echo $(( @ ))", "echo $[ @ ]",
    "echo $(: @)", "echo `: a; b`@", "let x=@", "printf %s \\\n @ \\\n b", "cmd -o=@ --x @",
    "time -p ! @", "cat <<'E'; echo @\nx\nE",
]  # fmt: skip
# Texts in which the substitution does not stand: it must not be found.
QUIET = [
    "echo '@'", "echo \\$x # @", "cat <<'E'\n@\nE", "cat <<\\E\n@\nE", 'cat <<"E"\n@\nE',
    "# @\ntrue", "cat <<-'E'\n\t@\n\tE", "echo $'@'",
]  # fmt: skip

REDIRECTS = [
    ">f", "> f", ">>f", "<f", "<>f", ">|f", ">&2", "2>&1", "2>&-", "<&-", "3<&0", "0<&3-",
    "1>&2-", "&>f", "&>>f", ">&f", "2>/dev/null", "2>>f", "10>f", "{fd}>f", "{fd}<&-", "{fd}>&1",
    "<<<w", '<<<"a b"', "<<<$x", "2>&$x", '>"a b"', ">'f'", ">$x", ">${x:-f}", "><(a)", "< <(a)",
    "> >(a)", "2> >(a >&2)", "<<E\nb\nE", "<<-E\n\tb\n\tE", "<<'E'\n$b\nE", "3<<E\n$b\nE",
    ">a >b 2>c", ">f <g", ">\\\nf", "> \\\n f", "{fd}>>f", "{fd}<<E\nb\nE", "2>f*", ">~/f",
    ">{a,b}", "<&$x-", ">&1-", ">&${x}",
]  # fmt: skip
COMMANDS = [
    "cmd", "cmd a b", "x=1 cmd", "x=1", "", "{ cmd; }", "( cmd )", "if cmd; then a; fi",
    "while cmd; do a; done", "until cmd; do a; done", "for i in a; do cmd; done",
    "for i; do cmd; done", "for ((;;)); do cmd; done", "select i in a; do cmd; done",
    "case x in a) cmd;; esac", "[[ -f x ]]", "((x++))", "f() { cmd; }", "f() ( cmd )",
    "function f { cmd; }", "function f() { cmd; }", "coproc cmd", "coproc X { cmd; }",
    "coproc { cmd; }", "! cmd", "time cmd", "time -p { cmd; }", "cmd \"$x\" 'y'", "declare a=1",
    "a=(1 2) cmd", "cmd $(a)",
]  # fmt: skip
JOINTS = [
    ";", "&", "|", "|&", "&&", "||", "\n", " ; ", "\n\n", " |\n", " &&\n", "||\n# c\n", " # c\n",
    "&\n", ";\n", "\\\n;", " \\\n&& ", ";;", "; ;", "& &", "&;", "| |", "||\\\n", "\n;", "\n&",
    "|\n\n",
]  # fmt: skip
NAMES = [
    "e\\vil", "'evil'", '"evil"', "ev''il", 'ev""il', "e\\\nvil", "$'evil'", "$'\\x65vil'",
    '$"evil"', "ev$'il'", "{evil,x}", "ev*l", "~/evil", "./evil", "$x", "${x}", "ev$x", "$(x)",
    "`x`", "evil=", "evil#x", "evil\\ x", "[evil]", "!evil", "-evil", "%evil", "+evil", "@evil",
    "éevil", ".", ":", "[", "\\if", "'if'", "if\\", '"time"', "\\!", "'{'", "ti\\me", "evil'\n'x",
]  # fmt: skip
NAME_PLACES = [
    "@", "@ a", "a; @", "a | @ b", "x=1 @ b", ">f @", ">f x=1 @ a", "! @", "time @ a", "{ @; }",
    "(@)", "if @; then @ a; fi", "a && @", "f() { @; }", "$(@)", "`@`", "a\n@\nb", "coproc @ a",
    "case x in x) @;; esac",
]  # fmt: skip


def pairs() -> Iterator[str]:
    """Every substitution at every place, every redirect on every command, and so on."""
    for place, substitution in itertools.product(PLACES, SUBSTITUTIONS):
        yield place.replace("@", substitution)
    unquoted = [place for place in PLACES if '"' not in place and "'" not in place]
    for place, substitution in itertools.product(unquoted, UNQUOTED_SUBSTITUTIONS):
        yield place.replace("@", substitution)
    for place, substitution in itertools.product(QUIET, SUBSTITUTIONS[:14]):
        yield place.replace("@", substitution)
    for command, redirect in itertools.product(COMMANDS, REDIRECTS):
        yield f"{command} {redirect}" if command else redirect
    for command, redirect in itertools.product(COMMANDS[:5], REDIRECTS):
        yield f"{redirect} {command}" if "\n" not in redirect else f"{command}; {redirect}"
    for joint, (first, second) in itertools.product(
        JOINTS, itertools.product(COMMANDS[1:12:2], COMMANDS[::3])
    ):
        yield f"{first}{joint}{second}"
    for place, name in itertools.product(NAME_PLACES, NAMES):
        yield place.replace("@", name)

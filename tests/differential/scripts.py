"""Generates scripts that use what a shell remembers: PATH, pipes, descriptors, traps, functions."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import random

_COMMANDS = (
    "git status", "git status", "git log -3", "git say a 'b c' \"$x\"", "git say $x ${y:-d}",
    "git fail 3", "git fail 3", "git fail", "git err", "git in < in.txt", "git in <<< word",
    "git env V", "git env PATH", "git env HOME", "git long", "git long", "git long", "git long 4",
    "git fd 3", "git write made.txt",
    "cargo test", "cargo fail 101", "timeout 5 git status", "env V=7 git env V", "V=8 git env V",
    "command git say x", "nice git status", "PATH=OTHER git status", "PATH=OTHER:$PATH git log",
    "HOME=$PWD/h git status", "git say ${y:=5}", "git say ${z?gone}", "git say $((i++))",
    "git say $nosuch", "git say *.txt", "git say *.zzz", "git say $(git say in)", "git say $_",
    'git say "$(cargo fail 2)"', "R=2 git env R", "nosuchprogram", "sub/../git status", "true",
    "false", "ls", "LACONIC_DISABLED=1 git long", "env LACONIC_DISABLED=1 git long",
)  # fmt: skip
_SUFFIXES = (
    "", "", "", "", "", " 2>&1", " | tail -2", " | tail -2", " | head -1", " | grep is",
    " | grep zzz", " | grep -v done", " 2>&1 | tail -1", " | wc -l", " | cat", " > out.txt",
    " >> out.txt", " >&2", " >&3", " >&3", " >&3", " 3>&1", " >&-", " 2>/dev/null", " 2> err.txt",
    " &> both.txt",
    " | tee tee.txt", " | tail -1 | cat", " |& tail -1", " < in.txt | tail -1", " < none | tail -1",
    " {fd}> named.txt", " <&-", " |\n  tail -1", " 2>&1 \\\n  | grep is",
)  # fmt: skip
_STATE = (
    "PATH=OTHER:$PATH", "PATH=OTHER", "export PATH=OTHER:/usr/bin:/bin",
    "export PATH=/usr/bin:/bin",
    "unset PATH", "PATH=", "PATH=sub:$PATH", 'export PATH="$PATH:/nowhere"', "read PATH <<< OTHER",
    "declare PATH=OTHER:$PATH", "printf -v PATH %s OTHER", "for PATH in OTHER; do :; done",
    "eval PATH=OTHER:/bin", ". ./env.sh", "declare -n p=PATH; p=OTHER:/bin", "path=(OTHER /bin)",
    "exec 3> three.txt", "exec 3> three.txt", "exec 3>&1", "exec > o.txt", "exec 2> e.txt",
    "exec 3>&1 > o.txt",
    "exec {fd}> named.txt", "trap 'echo bye' EXIT", "trap 'echo err' ERR", "trap 'git log' EXIT",
    "trap 'echo \"[$BASH_COMMAND]\"' DEBUG", "trap 'echo \"[$BASH_COMMAND]\"' ERR", "trap '' PIPE",
    "git() { echo function; }", "tail() { echo mine; }", "timeout() { echo later; }",
    "laconic() { echo no; }", "command_not_found_handle() { echo handled; }",
    "shopt -s expand_aliases\nalias git='echo alias'", "alias git='echo alias'",
    "hash -p OTHER/git git", "hash -r", "set -e", "set -u", "set -o pipefail", "set -o pipefail",
    "set -eo pipefail", "trap 'echo debug' DEBUG", "trap 'echo debug' DEBUG",
    "set +o pipefail", "set -x", "set -f", "set -- p q", "shopt -s lastpipe", "shopt -s nullglob",
    "shopt -s failglob", "setopt aliases", "i=1", "x='u v'", "readonly R=1", "export V=1", "IFS=:",
    "export HOME=$PWD/h", "cd sub", "export LACONIC_DISABLED=1", "ulimit -n 64", "umask 077",
    "export $(echo A=1)", "(set -o pipefail)", "if false; then set -o pipefail; fi",
)  # fmt: skip
_PROBES = (
    'echo "st=$?"', 'echo "st=$?"', 'echo "ps=${PIPESTATUS[*]}"', 'echo "ps=${pipestatus[*]}"',
    'n=PIPESTATUS; echo "ps=${!n}"', 'echo "last=$_"', 'echo "y=$y i=$i z=$z"', "command -v git",
    'echo "$PATH" | grep -c other', "echo ${#BASH_EXECUTION_STRING}", "pwd", 'echo "$#"',
    "set | grep -c EXECUTION", "wait", "ls", "cat out.txt three.txt 2>/dev/null", "type git",
    "jobs", "echo $((i + 1))", 'echo "line $LINENO"', 'test -d h && echo "home was used"',
)  # fmt: skip


# Pipes, names and descriptors: what may be set, used and looked at. Half of the short scripts.
_THEMES = (
    (
        ("set -o pipefail", "set -eo pipefail", "set +o pipefail", "trap 'echo x' DEBUG", ":", ":"),
        ("git fail 3", "git fail 3", "git say ${y:=5}", "git say ${z?no}", "git long 4", "git err"),
        (" | tail -2", " 2>&1 | tail -1", " | grep is", " | grep -v done", " | head -1"),
        ('echo "st=$?"', 'echo "ps=${PIPESTATUS[*]}"', 'echo "ps=${pipestatus[*]}"', 'echo "$y"'),
    ),
    (
        ("git() { echo function; }", "timeout() { echo later; }", "hash -p OTHER/git git",
         "shopt -s expand_aliases\nalias git='echo alias'", ". ./env.sh", "eval PATH=OTHER:/bin",
         "export PATH=OTHER:/usr/bin:/bin", "unset PATH", "PATH=sub:$PATH", "read PATH <<< OTHER"),
        ("git status", "git say a", "timeout 5 git status", "command git say x"),
        ("", "", "", " 2>&1"),
        ('echo "st=$?"', "type git", "command -v git", ":"),
    ),
    (
        ("exec 3> three.txt", "exec > o.txt", "exec 2> e.txt", "exec 3>&1 > o.txt"),
        ("git long", "git status", "git long 4", "git fd 3"),
        ("", "", " >&3", " >&3", " >&2", " 2>&1"),
        ('echo "st=$?"', "ls", ":"),
    ),
)  # fmt: skip


def script(choose: random.Random) -> str:
    """A few statements; in half of the scripts something is set, used, and looked at."""
    kind = choose.random()
    if kind < 0.25:
        state, command, suffix, probe = map(choose.choice, choose.choice(_THEMES))
        made = [state, command + suffix, probe]
    elif kind < 0.5:
        set_up = choose.choice((*_STATE, ":"))
        made = [set_up, _command(choose), choose.choice(_PROBES)]
    else:
        made = [_statement(choose, 2) for _ in range(choose.randint(2, 5))]
    return choose.choice(("\n", "\n", "; ")).join(made)


def _statement(choose: random.Random, depth: int) -> str:
    kind = choose.random()
    if kind < 0.22:
        return choose.choice(_STATE)
    if kind < 0.42:
        return choose.choice(_PROBES)
    if kind < 0.78 or depth == 0:
        return _command(choose)
    return _compound(choose, depth - 1)


def _command(choose: random.Random) -> str:
    made = choose.choice(("", "", "", "", "", "! ", "time ")) + choose.choice(_COMMANDS)
    return made + choose.choice(_SUFFIXES)


def _compound(choose: random.Random, depth: int) -> str:
    def inner() -> str:
        made = "\n".join(_statement(choose, depth) for _ in range(choose.randint(1, 2)))
        return f"{made}\n"

    def command() -> str:
        return _command(choose)

    return choose.choice(
        (
            lambda: f"if {inner()}then {inner()}else {inner()}fi",
            lambda: f"for v in 1 2; do {inner()}done",
            lambda: f"while read -r l; do {inner()}done < in.txt",
            lambda: f"until {inner()}do break; done",
            lambda: f"case a in a) {inner()};; esac",
            lambda: f"{{ {inner()}}}",
            lambda: f"{{ {inner()}}} > group.txt",
            lambda: f"{{ {inner()}}} >&3",
            lambda: f"{{ {inner()}}} 3>&1",
            lambda: f"{{ {inner()}}} | cat",
            lambda: f"( {inner()})",
            lambda: f"( {inner()}) | tail -1",
            lambda: f'v=$( {inner()}); echo "$v"',
            lambda: f"f() {{ {inner()}}}; f 1; f 2",
            lambda: f"f() {{ {inner()}}}; {command()}; f",
            lambda: f"cat <<E\n$({command()})\nE",
            lambda: f"{command()} && {command()} || {command()}",
            lambda: f"{{ {inner()}}} & wait $!",
            lambda: f"{command()} & wait",
            lambda: f"diff <({command()}) <({command()}) > /dev/null",
            lambda: f"coproc {{ {inner()}}}\nwait",
        )
    )()

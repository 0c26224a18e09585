"""Generates scripts that use what a shell remembers: PATH, pipes, descriptors, traps, functions."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import random

_COMMANDS = (
    "git status", "git status", "git log -3", "git say a 'b c' \"$x\"", "git say $x ${y:-d}",
    "git fail 3", "git fail 3", "git fail", "git err", "git in < in.txt", "git in <<< word",
    "git env V", "git env PATH", "git env HOME", "git long", "git long", "git long", "git long 4",
    "git fd 3", "git write made.txt", "cargo test", "cargo fail 101", "timeout 5 git status",
    "env V=7 git env V", "V=8 git env V", "command git say x", "nice git status",
    "PATH=OTHER git status", "PATH=OTHER:$PATH git log", "HOME=$PWD/h git status",
    "git say ${y:=5}", "git say ${z?gone}", "git say $((i++))", "git say $nosuch", "git say *.txt",
    "git say *.zzz", "git say $(git say in)", "git say $_", 'git say "$(cargo fail 2)"',
    "R=2 git env R", "nosuchprogram", "sub/../git status", "true", "false", "ls",
    "LACONIC_DISABLED=1 git long", "env LACONIC_DISABLED=1 git long", "cargo long", "cargo long 5",
    "cargo say x", "cargo in < in.txt", "cargo err", "./tool long", "./tool long 3",
    "./tool fail 2", "./tool err", "$PWD/tool long", "sh tool long", "bash tool fail 2",
    "bash -c 'git long'", "bash -c 'git say in; git fail 4'", "sh -c 'cd sub && git status'",
    "bash -ec 'git fail; git long'", "make -C sub", "make -C sub long", "exec git status",
    "exec git long", "eval git status", "eval 'git say $x'", "xargs git say < in.txt",
    "xargs -n 1 cargo say < in.txt", "env -i git long", "env -u V git env V", "stdbuf -oL git long",
    "nohup git status", "builtin git", "\\git long", "'git' long", "git say `git say in`",
    "git say {1..3}", "git say ${x/u/w}", "git say $'a\\tb'", "git say ${PATH:0:1}",
    "git say $(<in.txt)", "git say ~", "git in <<< $(git long)", "nice -n 1 timeout 5 cargo long",
    "env V=1 timeout 5 ./tool long", "noglob git say *", "git say -- -n", "command -p git status",
    "git in < <(cargo long)",
)  # fmt: skip
_SUFFIXES = (
    "", "", "", "", "", " 2>&1", " | tail -2", " | tail -2", " | head -1", " | grep is",
    " | grep zzz", " | grep -v done", " 2>&1 | tail -1", " | wc -l", " | cat", " > out.txt",
    " >> out.txt", " >&2", " >&3", " >&3", " >&3", " 3>&1", " >&-", " 2>/dev/null", " 2> err.txt",
    " &> both.txt", " | tee tee.txt", " | tail -1 | cat", " |& tail -1", " < in.txt | tail -1",
    " < none | tail -1", " {fd}> named.txt", " <&-", " |\n  tail -1", " 2>&1 \\\n  | grep is",
    " | sort | head -2", " | sort -r", " | grep is | tail -1", " | cut -c1-9", " | tr a-z A-Z",
    " | sed -n 1,2p", " | uniq -c | sort -n", " | xargs", " | while read -r l; do echo $l; done",
    " | { read -r l; echo $l; }", " | (read -r l; echo $l)", " 2>&1 >out.txt", " >out.txt 2>&1",
    " >| out.txt", " &>> both.txt", " | grep -v zzz | head -60", " | head -n 1", " | tail -n +2",
    " | grep -c is", " | cat > piped.txt", " 3>&1 1>&2 2>&3", " | tail -1 >&2",
    " | tail -60 > out.txt", " | sort -u | tail -60", " | tail -60 | wc -l", " | nl | tail -2",
    " > a.out > b.out", " | tee tee.txt | tail -1", " 2>&1 | sort | uniq", " || exit 4",
    " && cargo long", " | cargo in", " | V=1 tail -1", " | command tail -1", " | /usr/bin/tail -1",
    " 2>&1 | tee tee.txt",
)  # fmt: skip
_STATE = (
    "PATH=OTHER:$PATH", "PATH=OTHER", "export PATH=OTHER:/usr/bin:/bin",
    "export PATH=/usr/bin:/bin", "unset PATH", "PATH=", "PATH=sub:$PATH",
    'export PATH="$PATH:/nowhere"', "read PATH <<< OTHER", "declare PATH=OTHER:$PATH",
    "printf -v PATH %s OTHER", "for PATH in OTHER; do :; done", "eval PATH=OTHER:/bin",
    ". ./env.sh", "declare -n p=PATH; p=OTHER:/bin", "path=(OTHER /bin)", "exec 3> three.txt",
    "exec 3> three.txt", "exec 3>&1", "exec > o.txt", "exec 2> e.txt", "exec 3>&1 > o.txt",
    "exec {fd}> named.txt", "trap 'echo bye' EXIT", "trap 'echo err' ERR", "trap 'git log' EXIT",
    "trap 'echo \"[$BASH_COMMAND]\"' DEBUG", "trap 'echo \"[$BASH_COMMAND]\"' ERR", "trap '' PIPE",
    "git() { echo function; }", "tail() { echo mine; }", "timeout() { echo later; }",
    "laconic() { echo no; }", "command_not_found_handle() { echo handled; }",
    "shopt -s expand_aliases\nalias git='echo alias'", "alias git='echo alias'",
    "hash -p OTHER/git git", "hash -r", "set -e", "set -u", "set -o pipefail", "set -o pipefail",
    "set -eo pipefail", "trap 'echo debug' DEBUG", "trap 'echo debug' DEBUG", "set +o pipefail",
    "set -x", "set -f", "set -- p q", "shopt -s lastpipe", "shopt -s nullglob", "shopt -s failglob",
    "setopt aliases", "i=1", "x='u v'", "readonly R=1", "export V=1", "IFS=:", "export HOME=$PWD/h",
    "cd sub", "export LACONIC_DISABLED=1", "ulimit -n 64", "umask 077", "export $(echo A=1)",
    "(set -o pipefail)", "if false; then set -o pipefail; fi", "PATH+=:OTHER",
    "typeset -x PATH=OTHER:$PATH", "export -n PATH", "readonly PATH", ": ${PATH:=x}",
    "((PATH = 1))", "let PATH=1", "getopts x PATH", "mapfile -t PATH < in.txt",
    "read -r PATH < in.txt", "unset -v PATH", "path+=(OTHER)", "path=(OTHER $path)",
    "trap 'echo term' INT TERM", "trap - EXIT", "trap 'echo back' RETURN", "trap 'git fail 3' EXIT",
    "trap 'git long' EXIT", "trap 'cargo long | tail -2' EXIT", "trap 'PATH=OTHER' ERR",
    "TRAPEXIT() { echo bye; }", "TRAPDEBUG() { echo debug; }", "set -E; trap 'echo err' ERR",
    "function git { echo function; }", "git() ( echo below )", "export -f git", "unset -f git",
    "cargo() { git long; }", 'cargo() { command git say "$@"; }', "bash() { echo no shell; }",
    "shopt -s expand_aliases\nalias tail='echo mine'", "alias -g TAIL='| tail -1'", "unalias -a",
    "alias cargo='git long'\nsetopt aliases", "enable -n echo", "hash git=OTHER/git", "rehash",
    "exec 3< in.txt", "exec 4>&1", "exec 3>&-", "exec >&2", "exec < in.txt", "exec 4>&1 >&2",
    "exec 1>&3", "exec > >(cat > sub.txt)", "set -C", "set -v", "set -a", "set -m", "set -T",
    "set -o posix", "set -o noclobber", "shopt -s xpg_echo", "shopt -s inherit_errexit",
    "setopt pipefail", "setopt shwordsplit", "setopt multios", "unsetopt multios", "emulate sh",
    "emulate -L ksh", "setopt errexit", "setopt nomatch", "unsetopt nomatch", "setopt xtrace",
    "export BASH_ENV=$PWD/env.sh", "export ENV=$PWD/env.sh", "export TMPDIR=$PWD/t",
    "export XDG_STATE_HOME=$PWD/s", "export POSIXLY_CORRECT=1", "export SHELLOPTS", "PS4='+ '",
    "x=$(git long)", "x=`git fail 3`", "x=$(git long | wc -l)", "y=(a b)", "local z=1",
    "pushd sub > /dev/null", "cd sub; cd - > /dev/null", "V=1 cd sub", "wait -n", "disown -a",
    "export MAKEFILES=$PWD/env.sh", "export MAKEFLAGS=-s", "export SHELL=/bin/false",
    "kill -0 $$ && : a word that stays",  # $_ prints it
)  # fmt: skip
_PROBES = (
    'echo "st=$?"', 'echo "st=$?"', 'echo "ps=${PIPESTATUS[*]}"', 'echo "ps=${pipestatus[*]}"',
    'n=PIPESTATUS; echo "ps=${!n}"', 'echo "last=$_"', 'echo "y=$y i=$i z=$z"', "command -v git",
    'echo "$PATH" | grep -c other', "echo ${#BASH_EXECUTION_STRING}", "pwd", 'echo "$#"',
    "set | grep -c EXECUTION", "wait", "ls", "cat out.txt three.txt 2>/dev/null", "type git",
    "jobs", "echo $((i + 1))", 'echo "line $LINENO"', 'test -d h && echo "home was used"',
    'echo "$x" | wc -l', "echo ${#x}", "trap", "trap -p", "alias", "hash | wc -l", "echo $-",
    "set -o | grep pipefail", "shopt expand_aliases", "declare -f f", "type -a git", "which git",
    "whence git", "whence -w git", "cat err.txt e.txt both.txt named.txt sub.txt 2>/dev/null",
    'echo "${PIPESTATUS[0]} ${PIPESTATUS[1]}"', 'a=("${PIPESTATUS[@]}"); echo ${#a[@]}',
    "read -r l <&3; echo $l", "echo to three >&3", "echo to four >&4", "read -r l; echo $l",
    "ls /proc/self/fd | wc -l", "ulimit -n", "umask", "[ -p /dev/stdout ] && echo pipe",
    "[ -f /dev/stdout ] && echo file", "git fd 4", "caller", "echo $SHLVL", "test -d t && ls t",
    "test -d s && echo state", "echo ${FUNCNAME[*]}", "dirs", "return 3", "exit 5", "kill -TERM $$",
)  # fmt: skip


# Pipes, names, the PATH, descriptors and traps: what may be set, used and looked at. Four in ten.
_THEMES = (
    (
        ("set -o pipefail", "set -eo pipefail", "set +o pipefail", "trap 'echo x' DEBUG", ":", ":"),
        ("git fail 3", "git fail 3", "git say ${y:=5}", "git say ${z?no}", "git long 4", "git err"),
        (" | tail -2", " 2>&1 | tail -1", " | grep is", " | grep -v done", " | head -1"),
        ('echo "st=$?"', 'echo "ps=${PIPESTATUS[*]}"', 'echo "ps=${pipestatus[*]}"', 'echo "$y"'),
    ),
    (
        ("readonly R=1", "declare -r R=1", "typeset -r R=1", ":"),
        ("R=2 git env R", "R=2 git long", "R=2 cargo long"),
        (" | tail -2", " 2>&1 | tail -1", " | grep is", ""),
        ('echo "st=$?"', 'echo "R=$R"', "git status"),
    ),
    (
        ("git() { echo function; }", "timeout() { echo later; }", "hash -p OTHER/git git",
         "command -p git status", "laconic() { echo no; }", "TRAPDEBUG() { echo debug; }",
         "command_not_found_handle() { echo handled; }", "ulimit -f 0", "umask 777",
         "shopt -s expand_aliases\nalias git='echo alias'", ". ./env.sh", "eval PATH=OTHER:/bin"),
        ("git status", "git say a", "timeout 5 git status", "command git say x"),
        ("", "", "", " 2>&1"),
        ('echo "st=$?"', "type git", "command -v git", ":"),
    ),
    (
        ("export PATH=OTHER:/usr/bin:/bin", "unset PATH", "PATH=sub:$PATH", "read PATH <<< OTHER",
         "PATH=OTHER", "for PATH in OTHER; do :; done", "printf -v PATH %s OTHER", "((PATH = 1))"),
        ("git status", "OTHER/git status", "cargo long", "$PWD/tool long", "command -p git status"),
        ("", "", " | /usr/bin/tail -1", " 2>&1"),
        ('echo "st=$?"', "command -v git", "git status", ":"),
    ),
    (
        ("exec 3> three.txt", "exec > o.txt", "exec 2> e.txt", "exec 3>&1 > o.txt"),
        ("git long", "git status", "git long 4", "git fd 3"),
        ("", "", " >&3", " >&3", " >&2", " 2>&1"),
        ('echo "st=$?"', "ls", ":"),
    ),
    (
        ("trap 'echo x' DEBUG", "trap 'echo debug' DEBUG", "trap 'echo err' ERR", "trap '' PIPE",
         "trap 'PATH=OTHER' ERR; false", "trap 'git long' EXIT", "trap 'echo $BASH_COMMAND' EXIT"),
        ("git status", "git fail 3", "git long", "cargo long"),
        ("", " | tail -2", " | tail -1", " | head -1", " | grep zzz"),
        ('echo "st=$?"', "git status", "kill -INT $$", ":"),
    ),
)  # fmt: skip


def script(choose: random.Random) -> str:
    """A few statements; in most of the scripts something is set, used, and looked at."""
    kind = choose.random()
    if kind < 0.4:
        state, command, suffix, probe = map(choose.choice, choose.choice(_THEMES))
        made = [state, command + suffix, probe]
    elif kind < 0.6:
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


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "'\\''") + "'"


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
            lambda: f"for ((n = 0; n < 2; n++)); do {inner()}done",
            lambda: f"for v in 1 2 3; do {inner()}[ $v = 2 ] && break; done",
            lambda: f"for v in $({command()}); do {inner()}done",
            lambda: f"for v in 1 2; do {inner()}done | tail -1",
            lambda: f"while :; do {inner()}break; done 2>&1",
            lambda: f"while read -r l; do {inner()}done < <({command()})",
            lambda: f"for v (1 2) {{ {inner()}}}",
            lambda: f"repeat 2 {{ {inner()}}}",
            lambda: f"{{ {inner()}}} always {{ {inner()}}}",
            lambda: f"if {command()}; then echo yes; else echo no; fi",
            lambda: f"if ! {command()}; then {inner()}fi",
            lambda: f"until {command()}; do break; done",
            lambda: f"[[ -n $({command()}) ]] && {command()}",
            lambda: f"(( $({command()} | wc -l) > 3 )) && {command()}",
            lambda: f"mapfile -t a < <({command()}); echo ${{#a[@]}}",
            lambda: f"f() ( {inner()}); f | tail -1; f",
            lambda: f"f() {{ local PATH=OTHER:/bin; {inner()}}}; f; {command()}",
            lambda: f"f() {{ {inner()}return 3; }}; f; echo $?; {command()}",
            lambda: f"function f {{ {inner()}}} > f.txt; f",
            lambda: f"time {{ {inner()}}}",
            lambda: f"! {{ {inner()}}}",
            lambda: f"{{ {inner()}}} 2>&1 | tail -1",
            lambda: f"( trap 'echo below' EXIT\n{inner()})",
            lambda: f"set -e; {command()}; {command()}",
            lambda: f"{command()} > a.out & {command()} > b.out & wait",
            lambda: f"git in <<E\n$x $({command()})\nE",
            lambda: f"cargo in <<'E' | tail -1\n{command()}\nE",
            lambda: f"bash <<'E'\n{inner()}E",
            lambda: f"bash -c {_quoted(inner())}",
            lambda: f"eval {_quoted(inner())}",
            lambda: f". /dev/stdin <<'E'\n{inner()}E",
            lambda: f"{command()} # {command()}",
        )
    )()

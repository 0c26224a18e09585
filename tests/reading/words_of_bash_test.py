"""The words that bash passes to a program are among those that the gate takes for possible.

Small scripts with functions, arrays, positional parameters and operators run in bash, where a
recording function `rec` writes down the words of each of its calls. For each call, the words have
to be among the values of the arguments that the gate works out, or an argument is not known at all.
"""

from __future__ import annotations

import subprocess
from itertools import count
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from laconic.knowledge.arguments import expand
from laconic.knowledge.catalog import library
from laconic.knowledge.parameters import MAX_POSSIBLE
from laconic.reading.places import Facts
from laconic.reading.scope import Scope
from laconic.reading.situation import Situation
from laconic.shell import parse
from laconic.shell.walk import commands, evaluations
from laconic.shell.words import literal

if TYPE_CHECKING:
    from laconic.knowledge.arguments import Argument

# Past substitutions and pipes; how many words, then the words.
RECORD = 'set -u; exec 9>&1; rec() { printf "%s\\0" "$#" "$@" >&9; }; '
FILES = {"/project/list": ".env\nb.c d\n", "/project/one": "k.l\n"}


def passed_by_bash(script: str) -> list[list[str]]:
    """The words of each call of `rec`."""
    files = "".join(f"printf %s '{text}' > {path}; " for path, text in FILES.items())
    files = files.replace("/project/", "")
    done = subprocess.run(
        ["bash", "--norc", "--noprofile", "-c",
         f'cd "$(mktemp -d)"; {files}{RECORD}\n{script}\n:;rm -r "$PWD"'],
        env={"PATH": "/usr/bin:/bin", "HOME": "/home/user", "LC_ALL": "C.UTF-8"},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        check=False,
        timeout=60,
        text=True,
    )  # fmt: skip
    words = done.stdout.split("\0")[:-1]
    calls = []
    while words:
        size = int(words.pop(0))
        calls.append(words[:size])
        del words[:size]
    return calls


def worked_out(script: str) -> dict[str, list[tuple[bool, list[Argument]]]]:
    """By the first argument of each `rec`: its arguments in each case, and if it is supposed."""
    tree = parse(script)
    occurrences = commands(tree)
    situation = Situation(Facts(text=FILES.get))
    scope = Scope(tree, occurrences, situation)
    scope.follow(tree, occurrences, evaluations(tree, scope.fields), library())
    found: dict[str, list[tuple[bool, list[Argument]]]] = {}
    for command in (occurrence.command for occurrence in occurrences):
        if command.words and literal(command.words[0]) == "rec":
            cases = scope.at(command, situation.directories)
            found[literal(command.words[1]) or ""] = [
                (bool(values.lists), expand(command.words[2:], values)) for values in cases
            ]
    return found


def is_among(words: list[str], cases: list[list[Argument]]) -> bool:
    """Tell whether each word is a value of an argument, or there is one that is not known.

    Of very many possible values some are left out.

    That a name has no value yet is not followed: the scripts run with `set -u`, and where a text is
    empty nothing is asked.
    """
    every = [argument for arguments in cases for argument in arguments]
    texts = {text for argument in every for text in argument.texts}
    is_open = any(
        a.text is None and (not a.possible or len(a.possible) >= MAX_POSSIBLE) for a in every
    )
    return is_open or texts.issuperset(filter(None, words))


def test_a_default_is_possible_however_many_other_values_there_are():
    script = numbered('set -- b.c q; x=.env\nx+=${1:-$x}\nunset x\nrec @ "${x:-d e}"')
    ((_, (word,)),) = worked_out(script)["1"]
    assert len(word.possible) >= MAX_POSSIBLE
    assert "d e" in word.possible


def fits(words: list[str], arguments: list[Argument]) -> bool:
    """Tell whether a case that is certain has these words; what is not known may be any."""
    if not arguments:
        return not words
    first, rest = arguments[0], arguments[1:]
    if first.text is not None:
        return bool(words) and words[0] == first.text and fits(words[1:], rest)
    sizes = range(len(words) + 1) if first.splits else range(1, min(len(words), 1) + 1)
    return any(
        fits(words[size:], rest) and (not size or words[0].startswith(first.leading))
        for size in sizes
    )


ONE = [
    "a", "b.c", "'x y'", ".env", "q.c", '"$x"', "$x", '"$1"', "$2", "${x%.c}", "${x##*.}", "${1#b}",
    '"${x:-d e}"', "${z:-.env}", "${x:+s}", "${x^^}", "${x,,}", "${x^}", "${x/b/q}", "${x//./_}",
    '"${x:1:2}"', "${x: -1}", "${y:=z.y}", "${!n}", "${a[0]}", '"${a[1]}"', ".${x#q.}", "${x@Q}",
    "${m[k]}", "$(echo b.c)", "pre$1", "$(cat one)", "$(< one)", "${x/#b/.}", "${x/%c/h}",
    "${1:-$x}",
]  # fmt: skip
MANY = [
    '"$@"', "$@", "$*", '"${a[@]}"', "${a[@]}", "${a[*]}", '"${@:2}"', '"${a[@]:1}"', '"$*"',
    '"${a[@]%.c}"', '"${m[@]}"', "$(cat list)",
]  # fmt: skip
SET = "x=.env; n=x; a=(b.c q r); m[k]=.v"
ONE_WORD = st.sampled_from(ONE)
WORD = st.sampled_from([*ONE, *MANY])
WORDS = st.lists(WORD, max_size=3).map(" ".join)
SIMPLE = st.one_of(
    WORDS.map("rec @ {}".format),
    WORDS.map("rec @ {}".format),
    WORDS.map("f {}".format),
    WORDS.map("g {}".format),
    ONE_WORD.map("x={}".format),
    ONE_WORD.map("x+={}".format),
    ONE_WORD.map(": ${{y:={}}}".format),
    WORDS.map("a=({})".format),
    WORDS.map("a+=({})".format),
    ONE_WORD.map("a[1]={}".format),
    ONE_WORD.map("m[k]={}".format),
    WORDS.map("set -- {}".format),
    st.sampled_from(["shift", "n=x", "n=y", "read -r x < one", "mapfile -t a < list", "true",
                     "while read -r x; do rec @ $x; done < list", "printf -v x %s-%s b c",
                     "read x y <<< 'b.c q'", "eval 'f b.c'", "unset x"]),
)  # fmt: skip
# What grows with each round of a loop, or call of a function, has no end that could be known.
ONCE = SIMPLE.filter(lambda s: not s.startswith(("set", "shift", "a+=", "x+=")))
COMPOUND = st.one_of(
    SIMPLE,
    SIMPLE,
    st.tuples(WORDS, ONCE).map(lambda s: f"for x in {s[0]}; do {s[1]}; done"),
    ONCE.map(lambda s: f"for x; do {s}; done"),
    SIMPLE.map(lambda s: f"if true; then {s}; fi"),
    SIMPLE.map(lambda s: f"( {s} )"),
)
BODY = st.lists(ONCE.filter(lambda s: s[:2] not in ("f ", "g ") and "eval" not in s), min_size=1,
                max_size=3).map("; ".join)  # fmt: skip
SCRIPTS = st.tuples(BODY, BODY, st.lists(COMPOUND, min_size=1, max_size=6)).map(
    lambda s: "\n".join([SET, f"f() {{ {s[0]}; }}", f'g() {{ {s[1]}; f "$@"; }}', *s[2]])
)
LINES = st.lists(COMPOUND, min_size=1, max_size=7).map(
    lambda s: "\n".join([f"set -- b.c q; {SET}", *s])
)


def numbered(script: str) -> str:
    numbers = count(1)
    pieces = script.replace('"$@"', "\1").replace('"${@', "\2").replace("$@", "\3")
    pieces = pieces.replace("[@]", "\4").replace("@Q", "\5").split("@")
    whole = pieces[0] + "".join(f"{next(numbers)}{piece}" for piece in pieces[1:])
    for sign, text in {"\1": '"$@"', "\2": '"${@', "\3": "$@", "\4": "[@]", "\5": "@Q"}.items():
        whole = whole.replace(sign, text)
    return f"declare -A m\n{whole}"


@settings(
    max_examples=150,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
@example('g() { rec @ "$*"; }\ng a a "${@:2}"\n')
@given(st.one_of(SCRIPTS, LINES))
def test_words_that_bash_passes_are_among_those_that_are_possible(lines: str) -> None:
    script = numbered(lines)
    known = worked_out(script)
    for number, *words in passed_by_bash(script):
        cases = [arguments for _, arguments in known[number]]
        assert is_among(words, cases), (script, number, words, cases)
        certain = [arguments for supposed, arguments in known[number] if not supposed]
        assert any(fits(words, arguments) for arguments in certain), (script, words, certain)


KNOWN = """\
f() { rec 1 "$1" $2; }; f a 'b c'
f() { shift; rec 1 "$@"; }; f a b c
f() { g x "$@"; }; g() { rec 1 "$@"; }; f a 'b c'
f() { rec 1 "${@:2}"; }; f a 'b c' d
f() { rec 1 "${10}"; }; f a b c d e f g h i j
set -- a b; for x; do rec 1 "$x"; done
a=(a 'b c'); a+=(d); rec 1 "${a[@]}" "${a[*]}" p${a[@]}s
a=(a b); a[1]=c; for x in "${a[@]}"; do rec 1 "$x"; done
declare -A m=([k]=v [l]='w w'); rec 1 "${m[k]}" "${m[@]}"
x=Abc; rec 1 ${x,,} ${x^^} ${x,} ${x/b/-} ${x:1} ${x: -2:1} ${x#A} ${x%c} ${x@Q}
x=a.b.c; rec 1 ${x#*.} ${x##*.} ${x%.*} ${x%%.*} ${x//./-} ${x/#a/z} ${x/%c/z} ${x/[ab]/-}
n=x; x=v; rec 1 ${!n}; : ${y:=w}; rec 2 $y ${z:-u} ${x:+t}
if true; then : ${y:=$(echo b.c)}; fi; rec 1 ${y:=z}
printf -v x '%s-%s' a b; rec 1 $x
read x y <<< 'a b'; rec 1 $x $y
mapfile -t a < list; rec 1 "${a[0]}"
while IFS= read -r x; do rec 1 "$x"; done < list
cat list | while read -r x; do rec 1 $x; done
rec 1 $(base64 -d <<< LmVudgo=) $(echo LmVudgo= | base64 -d) $(echo vne. | rev)
rec 1 $(printf '\\056%s' env) $(echo -e '\\x2eenv') $(sort list | head -1)
echo .env > new; rec 1 $(cat new); read x < new; rec 2 $x
"""


@pytest.mark.parametrize("script", KNOWN.splitlines())
def test_they_are_known(script: str) -> None:
    """It is no use that all words are among those that are possible where nothing is known."""
    known = worked_out(script)
    calls = passed_by_bash(script)
    assert calls
    for number, *words in calls:
        texts = {text for _, case in known[number] for argument in case for text in argument.texts}
        assert texts.issuperset(words)

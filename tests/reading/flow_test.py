"""What the gate takes for certain of variables and substitutions, against bash."""

from __future__ import annotations

import subprocess
from itertools import count

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from laconic.knowledge.arguments import Values, expand
from laconic.knowledge.catalog import library
from laconic.knowledge.printed import PRINTERS
from laconic.policy.rules import Rules
from laconic.reading.decide import decide
from laconic.reading.places import Facts
from laconic.reading.scope import Scope
from laconic.reading.situation import Situation
from laconic.shell import parse
from laconic.shell.walk import commands, evaluations
from laconic.types import Verdict

ENVIRONMENT = {"PATH": "/usr/bin:/bin", "HOME": "/home/user", "LC_ALL": "C.UTF-8", "y": "outer"}
SHOW = 'echo "@: $x : $y" >&2'  # past substitutions and pipes


def in_bash(script: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        ["bash", "--norc", "--noprofile", "-c", script],
        env=ENVIRONMENT,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        check=False,
        timeout=60,
        text=True,
    )


def known_at(script: str) -> dict[str, list[dict[str, str]]]:
    """For each numbered echo: the cases, each with the variables that are taken for certain."""
    return {number: [dict(v.certain) for v in cases] for number, cases in values_at(script).items()}


def values_at(script: str) -> dict[str, list[Values]]:
    """For each numbered echo: what is known of the variables, in each of the cases."""
    tree = parse(script)
    occurrences = commands(tree)
    situation = Situation(Facts())
    scope = Scope(tree, occurrences, situation)
    scope.follow(tree, occurrences, evaluations(tree, scope.fields), library())
    known = {}
    for occurrence in occurrences:
        command = occurrence.command
        text = script.encode()[command.start : command.end].decode()
        if text.startswith('echo "') and " : " in text:
            number = text.removeprefix('echo "').partition(":")[0]
            known[number] = scope.at(command, situation.directories)
    return known


VALUES = st.sampled_from(
    [
        "a", "'b c'", "$y", "z$x", "$(echo e f)", "$(false)", '"$x"', "~", "$((1))",
        "d/$(cat /none)", "$(realpath /usr)", "$(realpath /none/none)", "$(realpath /usr)/q",
        "$(realpath -e /none)/$y", "$(pwd -P)-s", "~/$(false)",
    ]
)  # fmt: skip
SIMPLE = st.one_of(
    st.builds("{}={}".format, st.sampled_from(["x", "y"]), VALUES),
    st.sampled_from(
        [
            SHOW, SHOW, SHOW, "true", "false", "x=1 y=2", "y=$x x=3", "x=6 </none", ": $((1/0))",
            "break", "x=q | cat", "true | x=last", "set -u", "y=$((1/0)) x=9", ": *none*", "exit",
        ]
    ),
)  # fmt: skip


# Whatever sets a variable in another way: nothing is certain then, or not of that one.
OTHERWISE = st.sampled_from(
    [
        "unset x", "read x <<< r", "printf -v x v", "eval 'x=ev'", "x+=p", ": ${x:=dflt}",
        "((x=7))", "export x=ex", "f() { x=fun; }; f", "trap 'x=tr' DEBUG", "x=(arr ay)",
        "command eval x=8",
        "x=5 true", "exec {x}</dev/null", "declare x=d", "let x=3", "x[1]=k",
        "mapfile x < /dev/null", "getopts ab x -a", "coproc x { :; }",
        "source /dev/null", "alias x=y", "y=x; ((y=4))",
    ]
)  # fmt: skip


def _twice(body: str) -> str:
    n = f"n{len(body)}"  # a loop in it has another one
    return f'{n}=; while [ "${n}" != zz ]; do {n}=z${n}; {body}; done'


def _compound(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    two = st.tuples(inner, inner)
    return st.one_of(
        two.map(lambda s: f"{s[0]}; {s[1]}"),
        two.map(lambda s: f"{s[0]}; {s[1]}"),
        two.map(lambda s: f"{{ {s[0]}; }} && {{ {s[1]}; }}"),
        two.map(lambda s: f"{{ {s[0]}; }} || {{ {s[1]}; }}"),
        two.map(lambda s: f"{{ {s[0]}; }} | {{ {s[1]}; }}"),
        two.map(lambda s: f"if {s[0]}; then {s[1]}; fi"),
        two.map(lambda s: f"if [ a = b ]; then {s[0]}; else {s[1]}; fi"),
        two.map(lambda s: f'case "$x" in a) {s[0]} ;; *) {s[1]} ;; esac'),
        inner.map(lambda s: f"( {s} )"),
        inner.map(lambda s: f"{{ {s}; }} < /none"),
        inner.map(lambda s: f'y="$( {s} )"'),
        inner.map(lambda s: f"for x in 1 'two words' $y; do {s}; done"),
        inner.map(lambda s: f"for x in /usr/l* /usr/s*; do {s}; done"),
        inner.map(lambda s: f"for i in 1 2; do {s}; done"),
        inner.map(_twice),
        inner.map(lambda s: f"{{ {s}; }} & wait"),
    )


STATEMENTS = st.recursive(SIMPLE, _compound, max_leaves=6)
LINES = st.one_of(
    st.lists(STATEMENTS, min_size=1, max_size=5).map("\n".join),
    st.lists(STATEMENTS, min_size=1, max_size=5).map("\n".join),
    st.lists(st.one_of(STATEMENTS, OTHERWISE), min_size=1, max_size=4).map("; ".join),
)


@settings(
    max_examples=200,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
@given(LINES)
def test_what_is_certain_is_so_in_bash(lines: str) -> None:
    numbers = count(1)
    pieces = f"x=first\n{lines}\n{SHOW}".split("@")
    script = pieces[0] + "".join(f"{next(numbers)}{piece}" for piece in pieces[1:])
    known = values_at(script)
    for line in in_bash(script).stderr.splitlines():
        number, x, y = (part.strip(" ") for part in [*line.split(":", 2), "", ""][:3])
        if number not in known:
            continue  # an error message
        shown = {"x": x, "y": y}
        assert any(_holds(values, shown) for values in known[number]), (
            script, line, [(v.certain, v.leading, v.paths) for v in known[number]],
        )  # fmt: skip


def _holds(values: Values, shown: dict[str, str]) -> bool:
    """Tell whether bash shows what is known: the value, its beginning, that it is a path."""
    return all(
        values.certain.get(name, text).strip() == text
        and text.startswith(values.leading.get(name, "").strip())
        and (name not in values.paths or not text or text.startswith("/"))
        for name, text in shown.items()
    )


@pytest.mark.parametrize(
    ("script", "values"),
    [
        (f"x=a; {SHOW}", [{"x": "a"}]),
        (f"x=a && x=b && {SHOW}", [{"x": "b"}]),
        (f"x=a; (x=b); {SHOW}", [{"x": "a"}]),
        (f"x=a; x=$(pwd)/b; {SHOW}", [{"x": "/project/b"}]),
        (f"for x in a b; do {SHOW}; done", [{"x": "a"}, {"x": "b"}]),
        (f"for x in a b; do y=$x.c; {SHOW}; done", [{"x": x, "y": y}
                                                  for x in "ab" for y in ("a.c", "b.c")]),
        (f"x=a; true | x=b; {SHOW}", [{"x": "a"}, {"x": "b"}]),
        (f"x=a; x=$(whoami); {SHOW}", [{}]),
        (f"for x in a b; do :; done; {SHOW}", [{}]),
        (f"x=a; . ./file; {SHOW}", [{}]),
        (f"x=a; x+=b; {SHOW}", [{}]),
        (f"f() {{ x=b; }}; x=a; f; {SHOW}", [{}]),
        (f"for x in {' '.join(map(str, range(20)))}; do {SHOW}; done", [{}]),
        (f"SECONDS=5; x=a; {SHOW}", [{"x": "a"}]),
    ],
)  # fmt: skip
def test_it_is_not_only_safe_but_known(script: str, values: list[dict[str, str]]) -> None:
    (cases,) = known_at(script.replace("@", "1")).values()
    assert [{k: v for k, v in case.items() if k in "xy"} for case in cases] == values


WORDS = """\
$(echo a b)
"$(echo a b)"
x$(echo " a  b ")y
$(echo)
""$(echo)
"$(echo)"
'' $(echo) end
`echo back`quote
$(printf '%s\\n' one 'two three')
"$(printf '%s-%s' 1 2 3)"
$(printf 'plain')
$(printf '%s')
"$(printf 'a\\n\\n')"
$(echo $(echo nested $(echo words)))
$(echo "tab\there")
-$(echo n)5
$(echo a)$(echo b c)$(echo d)
$(echo "é ü")
a"$(echo 'q  r')"b
"""


def test_results_of_substitutions_are_those_of_bash() -> None:
    known = Values(printers=PRINTERS)
    for words in WORDS.splitlines():
        arguments = expand(commands(parse(f"show {words}"))[0].command.words[1:], known)
        shown = in_bash(f"show() {{ printf '<%s>' \"$@\"; }}; show {words}").stdout
        wanted = "".join(f"<{argument.text}>" for argument in arguments) or "<>"
        assert (words, shown) == (words, wanted)


@pytest.mark.parametrize(
    "word",
    [
        "$(echo -n a)", "$(echo 'a\\nb')", "$(echo a | cat)", "$(echo a; echo b)", "$(! echo a)",
        "$(echo a > x)", "$(x=1 echo a)", "$(echo *)", "$(echo '*')", "$(printf %d 1)",
        "$(printf '%s' a; )$x", "$(/bin/echo a)", "$(echo a &)", "<(echo a)", "$(echo $x)",
        "$(printf '\\t')", "$(printf %b a)", "$(printf -- a)", "$(pwd -P)", "$(time echo a)",
        '$(echo "$(echo "$(echo $(echo a))")")',
    ],
)  # fmt: skip
def test_other_substitutions_are_not_known(word: str) -> None:
    values = Values({"PWD": "/p"}, {}, PRINTERS)
    arguments = expand(commands(parse(f"show {word}"))[0].command.words[1:], values)
    assert any(argument.text is None for argument in arguments)


def test_a_fault_while_values_are_followed_asks(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise ZeroDivisionError

    assert decide("x=a; cat $x", library(), Rules(), Facts()).verdict is Verdict.ALLOW
    monkeypatch.setattr(Scope, "at", fail)
    assert decide("x=a; cat $x", library(), Rules(), Facts()).verdict is Verdict.ASK

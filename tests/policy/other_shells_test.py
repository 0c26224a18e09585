"""Text that shells read in different ways: what is allowed for a shell does nothing there.

Texts are put together at random from what bash and others have read differently, with commands
that leave a mark in places where bash sees mere text. Those that are allowed are run.
"""

from __future__ import annotations

import os
import random
import subprocess
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from decide_cases import ALL
from laconic.agents.load import hooked, load
from laconic.hooks.call import shells_of
from laconic.knowledge.catalog import library
from laconic.policy.rules import Rules
from laconic.reading.decide import _EVALUATED_BY_ZSH, decide
from laconic.reading.other_shells import family
from laconic.reading.places import Facts
from laconic.reading.zsh import zsh_findings
from laconic.shell import ParseError, parse
from laconic.types import Verdict
from machine import missing, needs

if TYPE_CHECKING:
    from pathlib import Path

_MARK = "touch pwned"
_QUOTED = [
    "'{t}'", '"{t}"', "$'{t}'", '$"{t}"', "'a\\'; {t} #'", "$'a\\'; {t} #'", "'a\\' ; ls '; {t} #'",
    '"a\\\\"', "\\'", "a\\;{t}", "'`{t}`'", "'$({t})'", "'({t})'", '"({t})"', "'path[$({t})1]'",
    "a{{,b}}", "'{{a,b}}'", "a=b", "~", "%self", "[a]", "'^a'", "#a", "a#b", "*", "-t", "'-n'", "a",
    "1", "'!'", "'a\nb'", "'\\", '\\"', "'\\\\'", "'a''b'", "'a'\\''b; {t}'", "(ls)", "{{ls,}}",
]  # fmt: skip
_FRAMES = [
    "echo {q}", "echo {q} {q}", "[[ {q} ]]", "[[ a > {q} ]]", "[[ a < {q} ]]", "[[ -t {q} ]]",
    "[[ a && {t} ]]", "[[ {q} == {q} ]]", "[[ -n {q} || {t} ]]", "(({t}))", "(( x ))", "((x=1))",
    "case a in {q}) ls;; esac", "case a in (a|b) ls;; esac", "for x in {q}; do ls; done",
    "for ((i=0; i<1; i++)); do ls; done", "x=({q})", "x=({t})", "x[1]={q}", "x+={q}", "x={q}",
    "echo {{a,{q}}}", "cat <<< {q}", "echo $[ 1 > 2 ]", "echo $[ {t} ]", "ls &> /dev/null",
    "ls |& cat", "ls > /dev/null 2>&1", "exit {q}", "test -t {q}", "[ -t {q} ]", "printf %d {q}",
    "printf %s {q}", "printf '%2$d' 1 {q}", "printf %n {q}", "printf '%*s' {q} a",
    "read -t {q} x", "shift {q}", "return {q}", "echo ${{x:-{q}}}",
    'echo "${{x:-{q}}}"', 'echo "${{x#{q}}}"', "echo ${{x/{q}/b}}", "echo ${{x:0:1}}",
    "echo ${{x^^}}", "f() {{ ls; }}; f {q}", "function f {{ ls; }}; f {q}", "cat <<E\n{t}\nE",
    "cat <<'E'\n$({t})\nE", "cat <<-E\n\t{t}\n\tE", "ls # {t}", "ls \\\n-a", "time ls", "! ls",
    "( ls )", "{{ ls; }}", "ls; }}", "if ls; then ls; fi", "while false; do ls; done",
    "cat <(ls)", "echo =ls", "echo $x[1]", 'echo "$x[1]"', "echo @(a|b)", "echo !(a)", "echo ?(a)",
    "export x=$y", "local x=$y", "ls 2> /dev/null", "trap {q} EXIT", "set -x", "echo $(ls)",
    "echo `ls`", 'echo "`ls`"', 'echo "$(echo {q})"', "echo $((1 + 1))", "echo $(( (1) ))",
    "and {t}", "begin; {t}; end", "echo (ls)", "echo ^a", "ls ^ a", "echo a{q}b", "echo {q}{q}",
]  # fmt: skip
_JOINTS = ["; ", " && ", " || ", "\n", " | ", ";", "&&", " & "]


def _text(source: random.Random) -> str:
    frames = []
    for _ in range(source.choice((1, 1, 1, 2, 3))):
        frame, parts = source.choice(_FRAMES), []
        for piece in frame.split("{q}"):
            parts += [piece.format(t=_MARK), source.choice(_QUOTED).format(t=_MARK)]
        frames += ["".join(parts[:-1]), source.choice(_JOINTS)]
    return "".join(frames[:-1])


def is_allowed(text: str, *shells: str) -> bool:
    facts = Facts(shells=("bash", *shells))
    return decide(text, library(), Rules(), facts).verdict is Verdict.ALLOW


def run(shell: list[str], text: str, directory: Path) -> list[str]:
    """The files that are there after the text was run in an empty directory."""
    environment = {"PATH": os.environ["PATH"], "HOME": str(directory.parent)}
    subprocess.run(
        [*shell, "-c", text],
        cwd=directory, env=environment, stdin=subprocess.DEVNULL, capture_output=True, check=False,
        timeout=60,
    )  # fmt: skip
    made = sorted(path.name for path in directory.iterdir())
    for path in directory.iterdir():
        path.unlink()
    return made


_PRESENT = [
    pytest.param(command, how, tries, id=command[0], marks=needs(command[0]))
    for command, how, tries in (
        (["bash", "--norc"], "bash", 150), (["zsh", "-f"], "zsh", 200), (["dash"], "sh", 300),
        (["fish", "--no-config"], "fish", 40),
    )
]  # fmt: skip


@pytest.mark.parametrize(("command", "how", "tries"), _PRESENT)
def test_what_is_allowed_for_a_shell_does_nothing_in_it(
    command: list[str], how: str, tries: int, tmp_path: Path
) -> None:
    source, directory = random.Random(how), tmp_path / "empty"
    directory.mkdir()
    allowed: set[str] = set()
    for _ in range(20_000):
        text = _text(source)
        if len(allowed) == tries:
            break
        if is_allowed(text, how):
            allowed.add(text)
    assert len(allowed) == tries
    harmful = {text: made for text in sorted(allowed) if (made := run(command, text, directory))}
    assert harmful == {}


@pytest.mark.parametrize(
    ("shell", "text"),
    [
        ("zsh", "[[ -t 'path[$(touch pwned)1]' ]]"),
        ("dash", "((touch pwned))"),
        ("dash", "echo $'\\'; touch pwned #'"),
        ("dash", "[[ a > pwned ]]"),
        ("fish", "echo 'a\\' ; ls '; touch pwned #'"),
    ],
)
def test_another_shell_runs_what_bash_takes_for_text(shell: str, text: str, tmp_path: Path) -> None:
    """Each of these does harm in that shell, and none in bash: so it is not allowed there."""
    assert not is_allowed(text, family(shell))
    if lacking := missing(shell):
        pytest.skip(lacking)
    assert run([shell], text, tmp_path) != []
    assert run(["bash"], text, tmp_path) == []


@pytest.mark.parametrize("name", hooked())
def test_an_agent_says_which_shells_may_run_its_commands(name: str) -> None:
    agent = load(name)
    known = {"bash", "zsh", "sh", "fish"}
    assert known.issuperset(agent.document.get("shells", ()))
    assert known.union("*").issuperset(agent.users_shells)


def test_the_shell_of_the_user_counts_where_the_agent_uses_it(tmp_path: Path) -> None:
    (tmp_path / "nu").touch()
    fish, dash, zsh = {"SHELL": "/usr/bin/fish"}, {"SHELL": "/bin/dash"}, {"SHELL": "/bin/zsh"}
    assert shells_of(load("gemini"), zsh) == {"bash"}
    assert shells_of(load("claude-code"), fish) == {"bash", "zsh"}
    assert shells_of(load("cursor"), fish) == {"bash", "zsh", "fish"}
    assert shells_of(load("cursor"), dash) == {"bash", "zsh", "sh"}
    assert shells_of(load("cursor"), {}) == {"bash", "zsh", "sh"}
    assert shells_of(load("cursor"), {"SHELL": str(tmp_path / "nu")}) == {"bash", "zsh", ""}
    assert shells_of(load("cursor"), {"SHELL": str(tmp_path / "no")}) == {"bash", "zsh", "sh"}
    assert shells_of(load("codex"), {"SHELL": "/bin/sh"}) == {"bash", "zsh", "sh"}
    assert shells_of(load("codex"), fish) == {"bash", "zsh"}
    assert shells_of(load("gemini"), zsh, "/bin/sh") == {"bash", "sh"}
    assert shells_of(load("gemini"), zsh, ["odd"]) == {"bash", ""}
    wanted = {"LACONIC_CODEBUDDY_SHELL": "fish", **zsh}
    assert shells_of(load("codebuddy"), wanted) == {"bash", "zsh", "fish"}


def test_only_plain_words_are_allowed_for_a_shell_that_is_not_known() -> None:
    assert is_allowed("ls -la src", "")
    assert not is_allowed("ls; pwd", "")
    assert not is_allowed("echo 'a'", "")


# Words of which texts are made that zsh_findings has something to say about, and others.
WORDS = (
    "exit shift read return printf test -t path x status status+=x %d 1 ; && | { } function f "
    "for in do done if then fi builtin command mapfile getopts a=b *? =x cat <file >out !"
).split()


def skips_no_finding(text: str) -> None:
    source = text.encode("utf-8", "surrogateescape")
    try:
        script = parse(source)
    except ParseError:
        return
    if zsh_findings(script.nodes()):
        assert _EVALUATED_BY_ZSH.search(source), text


def test_what_is_known_of_zsh_is_asked_where_it_has_a_say() -> None:
    for _, case in ALL:
        skips_no_finding(case.command)


@given(st.lists(st.sampled_from(WORDS), max_size=9))
def test_what_is_known_of_zsh_is_asked_where_it_has_a_say_in_any_words(words: list[str]) -> None:
    skips_no_finding(" ".join(words))

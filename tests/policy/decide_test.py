"""Verdicts on command lines, one line each in cases/decide, and mutations that must not loosen."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest

from decide_cases import ALL, FILES, read_cases
from laconic.knowledge.catalog import library
from laconic.policy.rules import Rules
from laconic.reading.decide import decide
from laconic.reading.places import Facts
from laconic.shell import ParseError, parse
from laconic.shell.walk import commands
from laconic.shell.words import literal
from laconic.types import Verdict

_PLAIN_WORD = re.compile(r"[\w./=,:@%+-]+")


def verdict_of(command: str) -> Verdict:
    return decide(command, library(), Rules(), Facts()).verdict


# A test for each file, not for each line: of those there are more than ten thousand.
@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_verdicts(path: Path) -> None:
    wrong = []
    for name, case in read_cases(path):
        decision = decide(case.command, library(), Rules(), Facts())
        rules = {leaf.rule for leaf in decision.leaves()}
        if decision.verdict is not case.verdict or (case.rule and case.rule not in rules):
            wrong.append(f"{name} {case.command}: {list(decision.leaves())}")
    assert not wrong, "\n".join(wrong)


def _quote_first(command: str) -> str | None:
    """The same command with its first program's name in quotes."""
    name = _first_name(command)
    return None if name is None else command.replace(name, f"'{name}'", 1)


def _backslash_first(command: str) -> str | None:
    name = _first_name(command)
    return None if name is None else command.replace(name, "\\" + name, 1)


def _full_path(command: str) -> str | None:
    name = _first_name(command)
    return None if name is None else command.replace(name, f"/usr/bin/{name}", 1)


def _first_name(command: str) -> str | None:
    """The program of a plain one-command line that begins with it."""
    try:
        found = commands(parse(command))
    except ParseError:
        return None
    words = found[0].command.words if len(found) == 1 else ()
    name = literal(words[0]) if words else None
    return name if name and name.isalnum() and command.startswith(name) else None


def _last_word(command: str) -> tuple[str, str] | None:
    """A plain command without its last word, and that word, if it stands for itself."""
    front, _, last = command.rpartition(" ")
    is_plain = _first_name(command) is not None and _PLAIN_WORD.fullmatch(last)
    return (front, last) if is_plain and front.strip() and "<<" not in front else None


def _echoed_last(command: str) -> str | None:
    found = _last_word(command)
    return None if found is None else f"{found[0]} $(echo {found[1]})"


def _last_in_variable(command: str) -> str | None:
    found = _last_word(command)
    return None if found is None else f'w={found[1]}; {found[0]} "$w"'


def _last_in_loop(command: str) -> str | None:
    found = _last_word(command)
    return None if found is None else f"for w in {found[1]} x; do {found[0]} $w; done"


def _echoed_first(command: str) -> str | None:
    name = _first_name(command)
    return None if name is None else command.replace(name, f"$(echo {name})", 1)


def _behind_env(command: str) -> str | None:
    """Not for builtins that evaluate their arguments: env starts programs, which do not."""
    name = _first_name(command)
    return None if name in (None, "printf", "test") else f"env X=1 {command}"


_PATH = re.compile(
    r"(?<![\w$=-])(?:~?/?(?:[\w.-]+/)*\.?[a-z_]\w*[./][\w./-]*|\.[a-z][\w/.-]+)(?![\w$(])"
)


def _paths_in_capitals(command: str) -> str | None:
    """Not what bash and awk read themselves, and nothing that may be code of the shell."""
    if "$" in command or re.search(r"/(?:inet|dev/(?:tcp|udp))/", command):
        return None
    return _PATH.sub(lambda found: found[0].upper(), command)


def _first_in_capitals(command: str) -> str | None:
    name = _first_name(command)
    return None if name is None else command.replace(name, name.upper(), 1)


MUTATIONS = {
    "blanks": lambda c: c.replace(" ", "  ") if "'" not in c and '"' not in c else None,
    "quotes": _quote_first,
    "backslash": _backslash_first,
    "full path": _full_path,
    "env": _behind_env,
    "sh -c": lambda c: "sh -c '" + c.replace("'", "'\\''") + "'",
    "substitution": lambda c: f"echo $( {c}\n)",  # `$((` may be arithmetic
    "group": lambda c: f"{{ {c}\n}}",
    # `..` leads out of the project, and from a directory in it to the project.
    "behind cd": lambda c: None if ".." in c else f"cd x && {{ {c}\n}}",
    "continued": lambda c: f"true &&\n{c}",
    "loop": lambda c: f"for i in 1; do {c}\ndone",
    "behind an assignment": lambda c: f"w=1; {c}",
    "name from a substitution": _echoed_first,
    "word from a substitution": _echoed_last,
    "word from a variable": _last_in_variable,
    "word from a loop": _last_in_loop,
    "paths in capitals": _paths_in_capitals,  # which lead to the same files on most Macs
    "name in capitals": _first_in_capitals,
}


# Each case meets a tenth of the mutations, other ones than its neighbours;
# LACONIC_TEST_SHARE=1 has all of them meet all.
SHARE = int(os.environ.get("LACONIC_TEST_SHARE", "10"))


@pytest.mark.parametrize("mutation", MUTATIONS)
def test_a_mutation_never_makes_it_more_permissive(mutation: str) -> None:
    loosened = []
    for name, case in ALL[list(MUTATIONS).index(mutation) % SHARE :: SHARE]:
        changed = MUTATIONS[mutation](case.command)
        if changed is None or changed == case.command:
            continue
        found = verdict_of(changed)
        if found < case.verdict:
            loosened.append((name, changed, found))
    assert not loosened

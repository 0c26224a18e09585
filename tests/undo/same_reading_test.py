"""Undo and the gate say the same of a line: what is seen to change is held, or doubted."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from decide_cases import ALL
from laconic.knowledge.catalog import library, tables
from laconic.policy.rules import Rules
from laconic.reading.acts import Verb
from laconic.reading.decide import decide, read_line
from laconic.reading.facts import read_facts
from laconic.types import Effect
from laconic.undo.analysis import HANDLERS, _is_undo, reach_of_line
from laconic.undo.call import is_device
from laconic.undo.reach import is_below, located
from undo.forms import read_forms

UNDO = Path(__file__).parent.parent / "cases" / "undo"
CHANGING = (
    Effect.PROJECT_WRITE | Effect.OUTSIDE_WRITE | Effect.GUARDED_WRITE | Effect.DISCARDS
    | Effect.HISTORY | Effect.INSTALLS | Effect.DESTROYS
)  # fmt: skip
NOT_CERTAIN = Effect.PROJECT_CODE | Effect.UNKNOWN | Effect.UNCLEAR
SEARCHES = ("find", "xargs")
VERBS = (Verb.WRITE, Verb.MAKE, Verb.DELETE)


def lines():
    """Every line of the cases and of the examples of the knowledge, once."""
    examples = [line for _, _, t in tables() for key in ("yes", "no") for line in t.get(key, ())]
    forms = [form["form"] for path in sorted(UNDO.glob("*.jsonl")) for form in read_forms(path)]
    return list(dict.fromkeys([*(case.command for _, case in ALL), *examples, *forms]))


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    """A repository with a few files, and a home of its own beside it."""
    root = tmp_path_factory.mktemp("same-reading")
    project = root / "project"
    (project / "src").mkdir(parents=True)
    (root / "home").mkdir()
    for name in ("a", "b", "f", "x", "src/a.py", "package.json"):
        (project / name).write_text("{}")
    subprocess.run(["git", "init", "-q"], cwd=project, check=True)
    return str(project), {"HOME": str(root / "home"), "PATH": os.environ["PATH"]}


def gap(line, place):
    """What the gate sees of a line and undo does not; empty if they agree.

    Which files a search finds and which names a handler finds out depends on what is there: the
    forms, which are run for real, test that. An undo keeps what it changes itself: `asked_test`.
    """
    directory, environment = place
    facts = read_facts(directory, environment)
    reach = reach_of_line(line, directory, environment)
    programs = read_line(line, library(), Rules(), facts)
    if reach.doubts or reach.beyond or any(p.name in SEARCHES for p in programs):
        return ""
    named = [program for program in programs if program.name]
    if named and all(map(_is_undo, named)):
        return ""
    effects = decide(line, library(), Rules(), facts).effects
    if effects & NOT_CERTAIN:
        return f"no doubt: {(effects & NOT_CERTAIN).words}"
    if any(program.name in HANDLERS for program in programs):
        return ""
    if effects & CHANGING and not reach:
        return f"nothing is held: {(effects & CHANGING).words}"
    for act in (act for program in programs for act in program.acts if act.verb in VERBS):
        for path in act.paths:
            if not (is_held(path, reach) or is_device(path)):
                return f"not held: {path}"
    return ""


def is_held(path, reach):
    real = located(path)
    places = reach.places.values()
    return any(is_below(real, [one.path]) if one.deep else one.path == real for one in places)


@pytest.mark.slow
def test_what_the_gate_sees_change_is_held_or_doubted(place):
    gaps = {line: why for line in lines() if (why := gap(line, place))}
    assert gaps == {}


@pytest.mark.parametrize("line", lines()[::40])
def test_what_the_gate_sees_change_in_a_line_is_held_or_doubted(line, place):
    assert gap(line, place) == ""

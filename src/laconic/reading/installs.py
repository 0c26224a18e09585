"""Tells whether what a call installs stays in the project, so that a box can hold it.

The tables say so with the trait `installs-here`, and the options with which it does not. After one
that ends in `=` stands a place: it does as long as that is in the project. Where an option is the
word `environment`, it depends on whose program it is: pip installs beside its own Python.
"""

from __future__ import annotations

from itertools import zip_longest

from laconic.knowledge import traits
from laconic.patterns import pattern
from laconic.reading.places import is_within, joined
from laconic.shell.walk import commands
from laconic.shell.words import literal

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from laconic.reading.call import Call

_TRAIT = "installs-here"
_OF_ENVIRONMENT = "environment"
_VARIABLE = "VIRTUAL_ENV"
_LONG = "--"
_PYTHON = pattern(r"/bin/(?:python|pypy)[\d.]*$")
_ACTIVATE = "/bin/activate"
_SOURCES = (".", "source")


def installs_here(call: Call) -> bool:
    """Tell whether a call that installs something does so in the project only."""
    told = traits.detailed(_TRAIT).get(" ".join(call.path))
    if told is None:
        return False
    options = told.split(",")
    for arguments in (call.situation.program.arguments[1:], call.arguments):
        words = [one.text for one in arguments]
        if None in words or not _stays(words, options, call):
            return False
    return _OF_ENVIRONMENT not in options or _is_of_project(call)


def _stays(words: Sequence[str | None], options: list[str], call: Call) -> bool:
    """Tell whether no option among these words leads out of the project."""
    for word, following in zip_longest(words, words[1:]):
        for option in options:
            name, has_place, _ = option.partition("=")
            value = _value_of(name, word or "", following)
            if value is not None and not (has_place and _is_place_inside(value, call)):
                return False
    return True


def _value_of(name: str, word: str, following: str | None) -> str | None:
    """Return what an option has as its value; None if the word is not this option.

    Among several short ones it has none: `-gD`.
    """
    if word == name:
        return following or ""
    if name.startswith(_LONG):
        return word.partition("=")[2] if word.startswith(f"{name}=") else None
    if word[:1] != "-" or word[1:2] == "-" or name[1:] not in word:
        return None
    return word[len(name) :] if word.startswith(name) else ""


def _is_place_inside(path: str, call: Call) -> bool:
    """Tell whether a path is in the project; that of a Python is where its link is."""
    facts = call.judge.facts
    places = [joined(cwd, path) for cwd in call.situation.directories]
    if path[:1] in ("", "~") or ("/" not in path and not all(map(facts.exists, places))):
        return False  # a version, or the name of a program
    if _PYTHON.search(path):
        places = [place.rpartition("/")[0] for place in places]
    return all(is_within(facts.real_path(place), facts.project) for place in places)


def _is_of_project(call: Call) -> bool:
    """Tell whether the program is one of an environment in the project."""
    facts, program = call.judge.facts, call.situation.program
    named = [one.arguments[0].text or "" for one in (program, *program.around()) if one.arguments]
    paths = [name for name in named if "/" in name]
    if paths:
        places = [
            facts.real_path(joined(cwd, path.rpartition("/")[0]))
            for path in paths
            for cwd in call.situation.directories
        ]
        return all(is_within(place, facts.project) for place in places)
    activated = _activated(call)
    active = activated or facts.environment.get(_VARIABLE, "")
    return bool(active) and is_within(facts.real_path(active), facts.project)


def _activated(call: Call) -> str:
    """Return the environment that the line has activated before a call; nothing if it has none."""
    script, cwd, found = call.situation.script, call.situation.directories[0], ""
    for one in commands(script) if script is not None else ():
        words = [literal(word) or "" for word in one.command.words[:2]]
        if one.command.start < call.span[0] and words[:1] in ([name] for name in _SOURCES):
            place, is_environment, _ = words[-1].rpartition(_ACTIVATE)
            found = joined(cwd, place) if is_environment else found
    return found

"""Tells whether somebody is there to answer an agent's question; if not, ask becomes deny.

`[unattended]` in the agent's data file says how to tell. An installed hook passes the number of
the agent's process in _LACONIC_AGENT_PID, because nothing else says how the agent was started.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence

from laconic.agents.load import Agent
from laconic.machine import processes


def is_unattended(agent: Agent, environ: Mapping[str, str], agents_mode: str = "") -> bool:
    """Tell whether nobody would answer an ask; False if that is not known."""
    signs = agent.unattended
    if agents_mode in signs.get("modes", ()):
        return True
    number = environ.get("_LACONIC_AGENT_PID", "")
    process = _process(int(number)) if number.isdecimal() and signs.get("options") else None
    first = _first_option(process[0], signs) if process else None
    if first is not None:
        return first in signs["options"]
    if any(_is_set(variable, environ) for variable in signs.get("variables", ())):
        return True
    return process is not None and not process[1]


def _is_set(variable: str, environ: Mapping[str, str]) -> bool:
    name, equals, value = variable.partition("=")
    return environ.get(name) == value if equals else name in environ


def _first_option(words: Sequence[str], signs: Mapping[str, Sequence[str]]) -> str | None:
    """Return the first option that decides; what follows it may be the text of a prompt."""
    known = (*signs["options"], *signs["attended_options"])
    found = (option for word in words for option in known if _is_option(word, option))
    return next(found, None)


def _is_option(word: str, option: str) -> bool:
    """Tell whether a word is the option, also with its value or among other letters: `-yp`."""
    if option.startswith("--"):
        return word.partition("=")[0] == option
    return word[:1] == "-" != word[1:2] and option[1] in word[1:].partition("=")[0]


# -- processes -------------------------------------------------------------------------------------


def _process(number: int) -> tuple[list[str], bool] | None:
    """Return a process's words, and whether it is at a terminal; None if nothing is known of it."""
    try:
        words = [os.fsdecode(word) for word in processes.words_of(number)]
        return words, processes.is_at_terminal(number)
    except OSError:
        return None

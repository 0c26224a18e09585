"""Faults to plant in the rewrite, one at a time: a comparison that misses them is useless."""

from __future__ import annotations

import itertools
import re
from contextlib import ExitStack, contextmanager
from functools import cache
from typing import TYPE_CHECKING, Any
from unittest import mock

from laconic.rewrite import doubts, plan, segments

from .compare import Case, cases, differences, rewrite

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .compare import Difference
    from .world import World

_NEVER = re.compile("(?!)")
_MOST_RUN = 120
_AT_A_TIME = 4
_LOOKED_AT = 6000


def _without(*names: str) -> dict[tuple[Any, str], Any]:
    return {(doubts, "_BUILTINS"): doubts._BUILTINS.difference(names)}


FAULTS: dict[str, dict[tuple[Any, str], Any]] = {
    "PIPESTATUS is not looked for": {(doubts, "_OF_PIPES"): _NEVER},
    "PATH is a variable like any other": {(doubts, "_is_special"): lambda _: False},
    "exec is a program": _without("exec"),
    "any descriptor is a stream": {(segments, "_is_stream"): lambda _: True, **_without("exec")},
    "redirects are forgotten": {(segments, "_redirect_reason"): lambda _: ""},
    "functions are programs": {(doubts, "Function"): type("Nothing", (), {})},
    "aliases are forgotten": _without("alias", "shopt", "setopt"),
    "hashed paths are forgotten": _without("hash"),
    "eval is a program": _without("eval"),
    "files that are read do nothing": _without(".", "source"),
    "traps do nothing": _without("trap"),
    "options of the shell do nothing": _without("set"),
    "the shell's own text is not looked at": {
        (doubts, "_OWN_TEXT"): _NEVER,
        (doubts, "_TRAPPED"): re.compile(".*"),
    },
    "a part of a pipe is the shell itself": {(plan, "is_movable"): lambda *_, **__: True},
    "pipefail is forgotten": {(doubts, "_look_at_pipefail"): lambda *_: None},
    "type is a program": _without("type"),
    "variables do nothing": {(doubts, "_note_name"): lambda *_, **__: None},
    "command -p is like command": {(doubts, "_finds_elsewhere"): lambda _: False},
    "variables before a command do nothing": {(plan, "special_in_front"): lambda _: []},
    "handlers are functions like others": {(doubts, "_FAULT_HANDLERS"): _NEVER},
    "what declares variables does nothing else": {(doubts, "_look_at_binding"): lambda *_: None},
    "options of zsh do nothing": _without("setopt", "unsetopt", "emulate"),
    "limits and masks do nothing": _without("ulimit", "umask"),
    "make is given our shell": {(plan, "rewrite"): None},
}


@contextmanager
def planted(fault: str) -> Iterator[None]:
    with ExitStack() as stack:
        for (place, name), value in FAULTS[fault].items():
            new = _with_our_shell(plan.rewrite) if value is None else value
            stack.enter_context(mock.patch.object(place, name, new))
        yield


def _with_our_shell(sound: Any) -> Any:
    def faulty(*words: Any) -> Any:
        made = sound(*words)
        made.text = made.text.replace("laconic run make", "make SHELL=laconic")
        return made

    return faulty


@cache
def typed(seed: int, count: int = _LOOKED_AT) -> list[Case]:
    """Scripts, the shortest first: these show best what a fault does."""
    return sorted(itertools.islice(cases(seed), count), key=lambda case: len(case.text))


def found(fault: str, scripts: list[Case], world: World) -> Difference | None:
    """The first difference that a fault makes, among the scripts that it rewrites otherwise."""
    sound = [_sound(case.text, world) for case in scripts]
    with planted(fault):
        made = ((case, rewrite(case, world)) for case in scripts)
        changed = (pair for pair, good in zip(made, sound, strict=False) if pair[1] != good)
        some = list(itertools.islice(changed, _MOST_RUN))
    for start in range(0, len(some), _AT_A_TIME):
        for difference in differences(some[start : start + _AT_A_TIME], world):
            return difference
    return None


@cache
def _sound(text: str, world: World) -> str:
    return rewrite(Case("bash", text, {}), world)

"""Which packages a project has: those that are installed in it, or that its files name.

What `npx`, `uvx` and their like run beyond these is fetched from a registry and run as it comes.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator

from laconic.files import upwards
from laconic.patterns import compile_written, pattern
from laconic.reading.call import Call
from laconic.reading.places import is_within

_NAME = pattern(r"((?:@[\w.-]+/)?[A-Za-z0-9][\w.-]*)(?:(?:\[[^]]*\])?(?:@|[=~!<>]=?).*)?")
_INSTALLED = ("node_modules/.bin", "node_modules", ".venv/bin", "venv/bin")
_NAMING = (
    "package.json", "package-lock.json", "yarn.lock", "pnpm-lock.yaml", "bun.lock", "deno.lock",
    "pyproject.toml", "uv.lock", "poetry.lock", "pdm.lock", "requirements.txt",
    "requirements-dev.txt", ".pre-commit-config.yaml",
)  # fmt: skip


def has_package(call: Call, package: str) -> bool:
    """Tell whether the project has a package or program, wherever in it the call may run."""
    name = name_of(package)
    return bool(name) and all(_is_in(name, start, call) for start in call.situation.directories)


def name_of(package: str) -> str:
    """Return the name of a package without its version; nothing if it is none."""
    named = _NAME.fullmatch(package)
    return named[1] if named else ""


def _is_in(name: str, start: str, call: Call) -> bool:
    facts = call.judge.facts
    for directory in _own_directories(start, call):
        if any(facts.exists(posixpath.join(directory, one, name)) for one in _INSTALLED):
            return True
        for file in _NAMING:
            text = facts.text(f"{directory}/{file}")
            if text and _names(text, name):
                return True
    return False


def _names(text: str, name: str) -> bool:
    """Tell whether a file names it as a word of its own."""
    return compile_written(rf"(?<![\w@/.-]){re.escape(name)}(?![\w/.-])").search(text) is not None


def _own_directories(start: str, call: Call) -> Iterator[str]:
    facts = call.judge.facts
    yield from (one for one in upwards(facts.real_path(start)) if is_within(one, facts.project))

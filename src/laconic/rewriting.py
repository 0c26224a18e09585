"""What should run instead, with the user's settings: the rewrite of a command in its place."""

from __future__ import annotations

import re
import sys

from laconic.catalog import library
from laconic.filters import load_filters
from laconic.lazy import compile_written
from laconic.rewrite.options import LOCAL_WRAPPERS, TRANSPARENT, LocalWrapper, Options, Rule
from laconic.rewrite.plan import Note, Rewriting, rewrite

TYPE_CHECKING = False
if TYPE_CHECKING:
    from laconic.settings import Settings
    from laconic.tools.arguments import Argument

_MAKEFILES = ("GNUmakefile", "makefile", "Makefile")
_JUSTFILES = ("justfile", "Justfile", ".justfile")
# Compiled when a recipe runs: most commands are none.
_CHOOSES_SHELL = {
    "make": rb"(?m)^[ \t]*(?:override |export )*\.?SHELL(?:FLAGS)?[ \t]*[:?+!]*=|^\.ONESHELL",
    "just": rb"(?m)^[ \t]*set[ \t]+(?:(?:windows-)?shell|positional-arguments)\b",
}
_INCLUDES = rb"(?m)^[ \t]*-?(?:s?include|import|mod)\b"
_NAMES_FILE = r"-[A-Za-z]*[fC]|--file|--makefile|--directory|--justfile|-I|-d$"
_MOST_BYTES = 1 << 20


def rewritten(command: str, settings: Settings, cwd: str) -> Rewriting:
    """The command as it should run, and a note per segment; the same text when switched off."""
    if settings.environment.disabled or not settings.config.compact.enabled:
        return Rewriting(command, (), (Note(0, len(command), "skip", "laconic is switched off"),))
    result = rewrite(command, options(settings, cwd), library())
    if settings.config.debug.log_parse_failures and not result.is_parsed:
        print(f"laconic: {result.notes[0].reason}: {command}", file=sys.stderr)
    return result


def options(settings: Settings, cwd: str) -> Options:
    config = settings.config
    known = load_filters(settings, library()).filters

    def find_filter(arguments: list[Argument]) -> str | None:
        found = known.find(arguments)
        return None if found is None else found.id

    made = Options(find_filter, lambda arguments: runs_recipes(arguments, cwd))
    made.rules = tuple(Rule(compile_written(rule.match), rule.replace) for rule in config.rewrite)
    made.skip = tuple(map(compile_written, config.skip.patterns))
    made.exclude = config.skip.exclude
    made.strip, made.prefer_less = config.pipe.strip, config.pipe.prefer_less
    made.transparent = TRANSPARENT.union(config.transparent.commands)
    made.local_wrappers = _local_wrappers(settings)
    return made


def _local_wrappers(settings: Settings) -> tuple[LocalWrapper, ...]:
    config = settings.config.local_wrapper
    own = tuple(LocalWrapper(r.command, r.markers, r.subcommands) for r in config.rules)
    built_in = LOCAL_WRAPPERS if config.builtins else ()
    return (*own, *(w for w in built_in if w.command not in config.disabled))


def runs_recipes(arguments: list[Argument], cwd: str) -> bool:
    """Tell whether make or just may be given our shell: its file must not choose one itself.

    Our shell hands recipe lines to sh; a file that wants bash would break. A file that is named
    by an option, or that includes others, is not looked for: then the answer is no.
    """
    name = (arguments[0].text or "").rsplit("/", 1)[-1]
    runner = "just" if name == "just" else "make"
    words = [argument.text or "" for argument in arguments[1:]]
    if any(re.match(_NAMES_FILE, word) for word in words):
        return False
    for candidate in _MAKEFILES if runner == "make" else _JUSTFILES:
        try:
            with open(f"{cwd}/{candidate}", "rb") as file:  # noqa: PTH123 - pathlib costs 6 ms
                text = file.read(_MOST_BYTES + 1)
        except OSError:
            continue
        is_plain = not re.search(_INCLUDES, text) and not re.search(_CHOOSES_SHELL[runner], text)
        return len(text) <= _MOST_BYTES and is_plain
    return False

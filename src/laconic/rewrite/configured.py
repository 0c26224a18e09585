"""What should run instead, with the user's settings: the rewrite of a command in its place."""

from __future__ import annotations

import sys

from laconic.compact.filter import SUMMARY
from laconic.compact.load import load_filters
from laconic.compact.readable import prints_its_text
from laconic.knowledge.catalog import library
from laconic.patterns import compile_written
from laconic.rewrite.options import LOCAL_WRAPPERS, TRANSPARENT, LocalWrapper, Options, Rule
from laconic.rewrite.plan import EXACT, Note, Rewriting, rewrite

TYPE_CHECKING = False
if TYPE_CHECKING:
    from laconic.knowledge.arguments import Argument
    from laconic.settings.load import Settings


def rewritten(command: str, settings: Settings) -> Rewriting:
    """The command as it should run, and a note per segment; the same text when switched off."""
    if settings.environment.disabled or not settings.config.compact.enabled:
        return Rewriting(command, (), (Note(0, len(command), "skip", "laconic is switched off"),))
    result = rewrite(command, options(settings), library())
    if settings.config.debug.log_parse_failures and not result.is_parsed:
        print(f"laconic: {result.notes[0].reason}: {command}", file=sys.stderr)
    return result


def options(settings: Settings) -> Options:
    config = settings.config
    loaded = load_filters(settings, library())
    known = loaded.filters

    def find_filter(arguments: list[Argument]) -> str | None:
        found = known.find(arguments)
        return None if found is None else found.id

    def why_not(arguments: list[Argument]) -> str:
        name = arguments[0].text or "" if arguments else ""
        if known.is_exact(arguments) or prints_its_text(arguments):
            return f"{EXACT}: {name.rsplit('/', 1)[-1]}"
        return "" if known.is_readable(arguments) else f"no filter, and {name} is not known to end"

    def is_summary(identifier: str) -> bool:
        found = loaded.load(identifier)
        return found is not None and found.kind == SUMMARY

    made = Options(find_filter)
    made.why_not, made.is_summary = why_not, is_summary
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

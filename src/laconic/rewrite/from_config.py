"""What the configuration says about rewriting, and the rewrite of a command with it."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterable, Mapping

from laconic.compact.filter import SUMMARY
from laconic.compact.load import load_filters
from laconic.compact.readable import prints_its_text
from laconic.knowledge.arguments import Argument
from laconic.knowledge.catalog import library
from laconic.patterns import compile_written, pattern
from laconic.rewrite.edits import Note, Rewriting
from laconic.rewrite.plan import EXACT, rewrite
from laconic.settings.environ import working_directory
from laconic.settings.load import Settings

TRANSPARENT = frozenset(("ssh", "mosh", "slogin"))


class LocalWrapper:
    """Runs a command in a local environment: what follows a marker is the command."""

    __slots__ = ("command", "markers", "subcommands")

    def __init__(
        self, command: str, markers: Iterable[str], subcommands: Iterable[str] = ()
    ) -> None:
        self.command = command
        self.markers, self.subcommands = frozenset(markers), frozenset(subcommands)


LOCAL_WRAPPERS = (
    LocalWrapper("nix", ("-c", "--command"), ("develop", "shell")),
    LocalWrapper("devbox", ("--",), ("run",)),
    LocalWrapper("flox", ("--",), ("activate",)),
    LocalWrapper("mise", ("--",), ("exec", "x")),
    LocalWrapper("devenv", ("--",), ("shell",)),
)


class Rule:
    """A rewrite of the user's: a pattern, and the text that takes the place of what it matched."""

    __slots__ = ("pattern", "replace")

    def __init__(self, pattern: re.Pattern[str], replace: str) -> None:
        self.pattern, self.replace = pattern, replace

    def applied(self, text: str) -> str | None:
        """`{0}` is the match, `{1}`.. its groups, `{rest}` what follows (else it stays behind)."""
        match = self.pattern.search(text)
        if match is None:
            return None
        rest = text[match.end() :]

        def value(placeholder: re.Match[str]) -> str:
            name = placeholder[1]
            if name == "rest":
                return rest.lstrip()
            number = int(name)
            return (match[number] or "") if number <= match.re.groups else placeholder[0]

        replaced = _PLACEHOLDER.sub(value, self.replace)
        if "{rest}" not in self.replace:
            replaced += rest
        return text[: match.start()] + replaced


_PLACEHOLDER = pattern(r"\{(rest|\d+)\}")


class Options:
    """Everything that a rewrite depends on but the command itself.

    find_filter: the id of the filter for a command's arguments, or None. why_not: the reason why a
    command without a filter is not wrapped, empty if it is. is_summary: of a filter's id, whether
    its result stands for the whole output. launcher: what starts laconic, as a shell word.
    full_path: the same where the PATH may not have it; empty: unknown. flags: what single commands
    need of `laconic run` (`--box `), by their start, whatever becomes of their output. directory:
    where the line runs; empty: unknown.
    """

    __slots__ = (
        "directory", "exclude", "find_filter", "flags", "full_path", "is_summary", "launcher",
        "local_wrappers", "prefer_less", "rules", "skip", "strip", "transparent", "why_not",
    )  # fmt: skip

    def __init__(self, find_filter: Callable[[list[Argument]], str | None]) -> None:
        self.find_filter = find_filter
        self.why_not: Callable[[list[Argument]], str] = lambda _: "no filter"
        self.is_summary: Callable[[str], bool] = lambda _: True
        self.launcher, self.full_path = "laconic", ""
        self.directory = ""
        self.flags: Mapping[int, str] = {}
        self.rules: tuple[Rule, ...] = ()
        self.skip: tuple[re.Pattern[str], ...] = ()
        self.exclude: tuple[str, ...] = ()
        self.strip, self.prefer_less = True, False
        self.transparent: frozenset[str] = TRANSPARENT
        self.local_wrappers: tuple[LocalWrapper, ...] = LOCAL_WRAPPERS


def rewritten(command: str, settings: Settings) -> Rewriting:
    """The command as it should run, and a note per segment; the same text when switched off."""
    if settings.environment.disabled or not settings.config.compact.enabled:
        return Rewriting(command, (), (Note(0, len(command), "skip", "laconic is switched off"),))
    made = options(settings)
    made.directory = working_directory()
    result = rewrite(command, made, library())
    if settings.config.debug.log_parse_failures and not result.is_parsed:
        print(f"laconic: {result.notes[0].reason}: {command}", file=sys.stderr)
    return result


def options(settings: Settings) -> Options:
    config = settings.config
    loaded = load_filters(settings, library())
    known = loaded.filters

    def find_filter(arguments: list[Argument]) -> str | None:
        wanted = known.find(arguments)
        return None if wanted is None else wanted.id

    def why_not(arguments: list[Argument]) -> str:
        name = arguments[0].text or "" if arguments else ""
        if known.is_exact(arguments) or prints_its_text(arguments):
            return f"{EXACT}: {name.rsplit('/', 1)[-1]}"
        return "" if known.is_readable(arguments) else f"no filter, and {name} is not known to end"

    def is_summary(identifier: str) -> bool:
        wanted = loaded.load(identifier)
        return wanted is not None and wanted.kind == SUMMARY

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

"""What the configuration says about rewriting, ready to use."""

from __future__ import annotations

from laconic.patterns import pattern

TYPE_CHECKING = False
if TYPE_CHECKING:
    import re
    from collections.abc import Callable, Iterable, Mapping

    from laconic.knowledge.arguments import Argument

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
    need of `laconic run` (`--box `), by their start, whatever becomes of their output.
    """

    __slots__ = (
        "exclude", "find_filter", "flags", "full_path", "is_summary", "launcher", "local_wrappers",
        "prefer_less", "rules", "skip", "strip", "transparent", "why_not",
    )  # fmt: skip

    def __init__(self, find_filter: Callable[[list[Argument]], str | None]) -> None:
        self.find_filter = find_filter
        self.why_not: Callable[[list[Argument]], str] = lambda _: "no filter"
        self.is_summary: Callable[[str], bool] = lambda _: True
        self.launcher, self.full_path = "laconic", ""
        self.flags: Mapping[int, str] = {}
        self.rules: tuple[Rule, ...] = ()
        self.skip: tuple[re.Pattern[str], ...] = ()
        self.exclude: tuple[str, ...] = ()
        self.strip, self.prefer_less = True, False
        self.transparent: frozenset[str] = TRANSPARENT
        self.local_wrappers: tuple[LocalWrapper, ...] = LOCAL_WRAPPERS

"""Reads filters of tokf (TOML) and rules of tokenjuice (JSON) as filters of ours.

Their forms: docs/writing-filters.md of https://github.com/mpecan/tokf, and the rules of
https://github.com/vincentkoc/tokenjuice. What our filters cannot express, or would not because it
is not in the output, is left out and named.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from laconic.compact.filter import BUDGET
from laconic.compact.format import is_pattern
from laconic.compact.stages.template import places
from laconic.patterns import compile_written, pattern

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

# What makes one line of equal ones, and leaves the others as many as without a shape.
_REPEATS = {"shape": ["repeats"], "budget": BUDGET}
_NAMED_GROUP = pattern(r"\(\?<(?=[A-Za-z_])")
_WORD = pattern(r"[\w.+:@-]+")
# Keys whose effect every filter of ours has: blank lines and colours, what is recalled, comments.
_ALWAYS_OF_TOKF = frozenset((
    "command", "description", "strip_ansi", "collapse_empty_lines", "strip_empty_lines",
    "show_history_hint",
))  # fmt: skip
_WHY_NOT_OF_TOKF = {
    "run": "the command runs as it was typed",
    "step": "the command runs as it was typed",
    "match_output": "a text of its own would be shown in place of the output",
    "lua_script": "filters run no code",
    "section": "blocks are shown in their place, not collected",
    "chunk": "blocks are shown in their place, not collected",
    "parse": "values are not parsed into templates",
    "output": "values are not parsed into templates",
    "variant": "there is one filter for a command and its options",
    "trim_lines": "lines keep their indent",
    "dedup_window": "equal lines are found wherever they are",
    "fallback": "what no pattern decides is shown",
}
_ALWAYS_OF_RULE = frozenset(
    "id family description priority match $schema schema counterSource".split()
)
_WHY_NOT_OF_RULE = {
    "counters": "what is hidden is counted in the notice",
    "onEmpty": "an empty output is shown as it is",
    "outputMatches": "a text of its own would be shown in place of the output",
    "matchOutput": "a text of its own would be shown in place of the output",
}


class Imported(NamedTuple):
    """A filter of ours as a table, its first line, and what was left out of it, with reasons."""

    identifier: str
    about: str
    table: dict[str, Any]
    left_out: list[str]


def from_tokf(document: Mapping[str, Any], identifier: str = "") -> Imported:
    """Read a filter of tokf."""
    found = _Reading()
    commands = document.get("command")
    commands = [commands] if isinstance(commands, str) else _texts(commands)
    paths = [path for command in commands for path in found.path(command)]
    table: dict[str, Any] = {"command": paths, "kind": "summary"}
    found.options(document, table)
    found.lines(document, table, "skip", "drop")
    found.lines(document, table, "strip_lines_matching", "drop")
    found.lines(document, table, "keep", "keep")
    found.replacements(document, table)
    if document.get("dedup"):
        table |= _REPEATS
    for theirs, ours in (("on_success", "success"), ("on_failure", "failure")):
        if branch := found.branch(_table(document.get(theirs)), theirs, table):
            table[ours] = branch
    taken = {"skip", "strip_lines_matching", "keep", "replace", "dedup", "passthrough_args"}
    taken |= {"on_success", "on_failure"} | _ALWAYS_OF_TOKF
    found.rest(document, taken, _WHY_NOT_OF_TOKF)
    about = str(document.get("description", "")) or "Taken over from tokf."
    return Imported(identifier or _name(paths), about, table, found.left_out)


def from_tokenjuice(rule: Mapping[str, Any]) -> Imported:
    """Read a rule of tokenjuice."""
    found = _Reading()
    table: dict[str, Any] = {"command": found.matched(_table(rule.get("match"))), "kind": "summary"}
    filters = _table(rule.get("filters"))
    found.lines(filters, table, "skipPatterns", "drop")
    found.lines(filters, table, "keepPatterns", "keep")
    transforms = _table(rule.get("transforms"))
    if transforms.get("dedupeAdjacent"):
        table |= _REPEATS
    plain = {"stripAnsi", "dedupeAdjacent", "trimEmptyEdges"}
    found.rest(transforms, plain, {}, "transforms.")
    found.ends(_table(rule.get("summarize")), table, "summarize.")
    failure: dict[str, Any] = {}
    found.ends(_table(rule.get("failure")), failure, "failure.", {"preserveOnFailure"})
    if failure:
        table["failure"] = failure
    taken = {"filters", "transforms", "summarize", "failure"} | _ALWAYS_OF_RULE
    found.rest(rule, taken, _WHY_NOT_OF_RULE)
    about = str(rule.get("description", "")) or "Taken over from tokenjuice."
    identifier = str(rule.get("id", "")) or _name(table["command"])
    return Imported(identifier, about, table, found.left_out)


class _Reading:
    """What was left out so far."""

    def __init__(self) -> None:
        self.left_out: list[str] = []

    def rest(
        self, table: Mapping[str, Any], taken: set[str], reasons: Mapping[str, str], start: str = ""
    ) -> None:
        for key in table:
            if key not in taken and table[key] not in (False, [], {}):
                self.left_out.append(f"{start}{key}: {reasons.get(key, 'has no counterpart')}")

    def lines(
        self, source: Mapping[str, Any], table: dict[str, Any], theirs: str, ours: str
    ) -> None:
        """Take over patterns for lines."""
        known = [text for one in _texts(source.get(theirs)) for text in self.regex(one, theirs)]
        if known:
            table[ours] = [*table.get(ours, ()), *known]

    def regex(self, source: str, where: str) -> Iterator[str]:
        text = _NAMED_GROUP.sub("(?P<", source)
        if complaint := is_pattern(text):
            self.left_out.append(f"{where}: {source!r} {complaint}")
        else:
            yield text

    def replacements(self, document: Mapping[str, Any], table: dict[str, Any]) -> None:
        for one in map(_table, _lists(document.get("replace"))):
            output = str(one.get("output", ""))
            for text in self.regex(str(one.get("pattern", "")), "replace"):
                compiled = compile_written(text)
                known = {*map(str, range(1, compiled.groups + 1)), *compiled.groupindex}
                if known.issuperset(places(output)) and "|" not in output:
                    table.setdefault("replace", []).append([text, output])
                else:
                    self.left_out.append(f"replace: {output!r} has more than groups of its pattern")

    def branch(
        self, branch: Mapping[str, Any], where: str, table: Mapping[str, Any]
    ) -> dict[str, Any]:
        """Take over what holds for one outcome; its patterns are added to those for both."""
        found: dict[str, Any] = {}
        output = str(branch.get("output", "{output}"))
        if output.strip() != "{output}":
            self.left_out.append(f"{where}.output: {output!r} is not what the command printed")
        self.lines(branch, found, "skip", "drop")
        if "drop" in found:
            found["drop"] = [*table.get("drop", ()), *found["drop"]]
        self.ends(branch, found, f"{where}.", {"output", "skip"})
        return found

    def ends(
        self,
        source: Mapping[str, Any],
        table: dict[str, Any],
        start: str,
        taken: set[str] = frozenset(),  # type: ignore[assignment]
    ) -> None:
        for key in ("head", "tail"):
            value = source.get(key)
            if isinstance(value, int) and not isinstance(value, bool) and value > 0:
                table[key] = value
        self.rest(source, {"head", "tail", *taken}, {}, start)

    def options(self, document: Mapping[str, Any], table: dict[str, Any]) -> None:
        every = _texts(document.get("passthrough_args"))
        options = [word for word in every if word.startswith("-")]
        if options:
            table["passthrough"] = options
        self.left_out += [
            f"passthrough_args: {w!r} is not an option" for w in every if w not in options
        ]

    def path(self, command: str) -> Iterator[str]:
        """The words of a command; a star at the end stands for what may follow anyway."""
        words = command.split()
        while words and words[-1] == "*":
            words.pop()
        if words and all(map(_WORD.fullmatch, words)) and not words[0].startswith("-"):
            yield " ".join(words)
        else:
            self.left_out.append(f"command: {command!r} is not a list of words")

    def matched(self, match: Mapping[str, Any]) -> list[str]:
        programs = [name.rsplit("/", 1)[-1] for name in _texts(match.get("argv0"))]
        subcommands = [[name] for name in _texts(match.get("gitSubcommands"))]
        words = subcommands or [_texts(some) for some in _lists(match.get("argvIncludes"))]
        known = {"toolNames", "argv0", "argvIncludes", "gitSubcommands"}
        self.rest(match, known, {"exitCodes": "the status chooses between outcomes"}, "match.")
        found: list[str] = []
        for program in programs or (["git"] if subcommands else []):
            for some in words or [[]]:
                plain = [word for word in some if not word.startswith("-")]
                options = [word for word in some if word.startswith("-")]
                found += self.path(" ".join([program, *plain, *options]))
        return list(dict.fromkeys(found))


def _texts(value: object) -> list[str]:
    return [one for one in value if isinstance(one, str)] if isinstance(value, list) else []


def _lists(value: object) -> list[object]:
    return list(value) if isinstance(value, list) else []


def _table(value: object) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}


def _name(commands: list[str]) -> str:
    """An id by the first command: `git/push`."""
    words = commands[0].split() if commands else []
    return "/".join(word.lstrip("-") for word in words[:2])

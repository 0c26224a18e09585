"""Facts about a text in one currency, so that bash's view and ours can be compared.

A fact is a list of JSON values: what kind of thing it is, then its words.  A word is the value it
has after quote removal, or DYNAMIC if an expansion decides it.
"""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING

from laconic.shell.ast import (
    Array,
    Assignment,
    Case,
    Command,
    Coproc,
    DoubleQuoted,
    Function,
    Heredoc,
    Literal,
    Loop,
    Pattern,
    Pipeline,
    Quoted,
    Redirect,
    Script,
    Substitution,
    Test,
    Word,
    nodes,
)
from laconic.shell.walk import commands

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from laconic.shell.ast import Node, Part

Fact = list[object]
Facts = list[Fact]
DYNAMIC = "<dyn>"

_ASSIGNMENT_FLAG = 1 << 2
_ARRAY_FLAG = 1 << 15
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_ARRAY = re.compile(r"([A-Za-z_][A-Za-z0-9_]*)(?:\[.*?\])?(\+?=)\(", re.DOTALL)
_EXPANSION = re.compile(r"\$[A-Za-z0-9_@*#?$!({\[-]|`|[<>]\(")
_QUOTED_EXPANSION = re.compile(r"\$[A-Za-z0-9_@*#?$!({\[-]|`")


def static(raw: str) -> str:
    """The value of a word as it is written, after quote removal, or DYNAMIC."""
    value, pos = "", 0
    while pos < len(raw):
        char = raw[pos]
        if char == "'":
            text, _, _ = raw[pos + 1 :].partition("'")
            value += text
            pos += len(text) + 2
        elif char == '"':
            inside, pos = _in_double_quotes(raw, pos + 1)
            if inside is None:
                return DYNAMIC
            value += inside
        elif char == "\\":
            following = raw[pos + 1 : pos + 2]
            value += "" if following == "\n" else following
            pos += 2
        elif _EXPANSION.match(raw, pos):
            return DYNAMIC
        else:
            value += char
            pos += 1
    return value


def _in_double_quotes(raw: str, pos: int) -> tuple[str | None, int]:
    value = ""
    while pos < len(raw) and raw[pos] != '"':
        if raw[pos] == "\\":
            following = raw[pos + 1 : pos + 2]
            if following != "\n":
                value += following if following in '$`"\\' else "\\" + following
            pos += 2
        elif _QUOTED_EXPANSION.match(raw, pos):
            return None, pos
        else:
            value += raw[pos]
            pos += 1
    return value, pos + 1


# -- what bash saw -------------------------------------------------------------------------------


def from_bash(records: Iterable[Fact]) -> Facts:
    return sorted((_bash_fact(record) for record in records), key=repr)


def _bash_fact(record: Fact) -> Fact:
    kind = record[0]
    if kind == "command":
        return _bash_command(record)
    if kind == "redirects":
        return [kind, _bash_redirects(record[1])]
    if kind in ("function", "coproc"):
        return record
    if kind in ("for", "array"):
        return [kind, [_bash_word(word) for word in record[1]]]  # type: ignore[attr-defined]
    if kind == "test":
        return [kind, record[1], [_bash_word(word) for word in record[2]]]  # type: ignore[attr-defined]
    return [kind, _bash_word(record[1])]


def _bash_word(raw: object) -> str:
    # bash puts \x01 before the control characters that it uses itself
    return static(re.sub("\x01([\x01\x7f])", r"\1", str(raw)))


def _bash_command(record: Fact) -> Fact:
    assignments: list[str] = []
    words: list[str] = []
    for flags, raw in record[1]:  # type: ignore[attr-defined]
        if flags & _ARRAY_FLAG and (array := _ARRAY.match(raw)):
            value = f"{array[1]}{array[2]}<array>"
        else:
            value = _bash_word(raw)
        if flags & _ASSIGNMENT_FLAG and not words:
            assignments.append(_named(value, raw))
        else:
            words.append(value)
    return ["command", assignments, words, _bash_redirects(record[2])]


def _named(value: str, raw: str) -> str:
    name = _NAME.match(raw)
    return f"{name[0] if name else ''}={DYNAMIC}" if value == DYNAMIC else value


def _bash_redirects(records: object) -> list[list[object]]:
    found = []
    for operator, fd, target, *rest in records:  # type: ignore[attr-defined]
        if rest:
            found.append([operator, fd, target, *rest])
        else:
            # bash takes the dash off `3>&4-`
            dash = "-" if operator.endswith("move") else ""
            found.append([operator.removesuffix("move"), fd, _bash_word(target + dash)])
    return found


# -- what we saw ---------------------------------------------------------------------------------


def from_tree(script: Script) -> Facts:
    """Facts of our tree; commands are those that `walk.commands` reports."""
    ours = _Ours(script)
    piped = _stderr_pipes(script)
    found = [ours.command(item.command, piped) for item in commands(script)]
    for node in nodes(script.body):
        found += ours.facts(node, piped)
    return sorted(found, key=repr)


def words_of(script: Script) -> list[list[str]]:
    """The words of every command that `walk.commands` reports, in its order."""
    ours = _Ours(script)
    return [ours.words(item.command) for item in commands(script)]


def _stderr_pipes(script: Script) -> set[int]:
    """Identities of the commands that `|&` gives `2>&1`."""
    return {
        id(command)
        for node in nodes(script.body)
        if isinstance(node, Pipeline)
        for command, operator in zip(node.commands, node.operators, strict=False)
        if operator.text == "|&"
    }


def _inside_backquotes(script: Script) -> set[int]:
    """Identities of nodes whose text in the source has another level of backslashes."""
    return {
        id(inner)
        for node in nodes(script.body)
        if isinstance(node, Substitution) and node.style == "`"
        if b"\\" in script.source[node.start : node.end]
        for inner in nodes(node)
    }


_STDERR = [">&", "2", "1"]


class _Ours:
    def __init__(self, script: Script) -> None:
        self.source = script.source.decode("latin-1")
        self.escaped = _inside_backquotes(script)

    def command(self, node: Command, piped: set[int]) -> Fact:
        assignments = [self._assignment(item, named=True) for item in node.assignments]
        redirects = self._redirects(node, node.redirects, piped)
        return ["command", assignments, self.words(node), redirects]

    def words(self, node: Command) -> list[str]:
        return [self._item(word) for word in node.words]

    def facts(self, node: Node, piped: set[int]) -> Iterator[Fact]:
        if isinstance(node, Function):
            yield ["function", node.name]
        elif isinstance(node, Coproc):
            yield ["coproc", node.name or "COPROC"]
        elif isinstance(node, Array):
            yield ["array", [self._item(element) for element in node.elements]]
        elif isinstance(node, Test):
            yield ["test", node.operator or "-n", [self._word(word) for word in node.operands]]
        elif isinstance(node, Loop) and node.kind != "for((":
            words = (DYNAMIC,) if node.words is None else map(self._word, node.words)
            yield ["for", list(words)]
        elif isinstance(node, Case):
            yield ["case", self._word(node.subject)]
            for clause in node.clauses:
                for pattern in clause.patterns:
                    yield ["pattern", self._word(pattern)]
        redirects = getattr(node, "redirects", ())
        if not isinstance(node, Command) and (redirects or id(node) in piped):
            yield ["redirects", self._redirects(node, redirects, piped)]

    def _redirects(
        self, node: Node, redirects: tuple[Redirect, ...], piped: set[int]
    ) -> list[list[object]]:
        found = [self._redirect(redirect) for redirect in redirects]
        return [*found, list(_STDERR)] if id(node) in piped else found

    def _redirect(self, node: Redirect) -> list[object]:
        operator = node.operator
        fd = node.fd.lstrip("0") or ("0" if node.fd or operator[0] == "<" else "1")
        target = self._word(node.target)
        if operator in ("<&", ">&"):
            if target == "-":
                return ["close", fd, "-"]
            target = re.sub(r"^0+(?=\d+-?$)", "", target)
        if node.heredoc is None:
            return [operator, fd, target]
        heredoc = node.heredoc
        return [operator, fd, heredoc.delimiter, heredoc.quoted, self._body(heredoc)]

    def _body(self, node: Heredoc) -> str:
        if id(node) in self.escaped:
            return DYNAMIC
        body = self.source[node.start : node.end]
        if not node.quoted:
            body = re.sub(r"\\(.)", _joined, body, flags=re.DOTALL)
        return re.sub(r"^\t+", "", body, flags=re.MULTILINE) if node.strip_tabs else body

    def _item(self, node: Word | Assignment) -> str:
        return self._assignment(node) if isinstance(node, Assignment) else self._word(node)

    def _assignment(self, node: Assignment, *, named: bool = False) -> str:
        operator = "+=" if node.append else "="
        if isinstance(node.value, Array):
            return f"{node.name}{operator}<array>"
        value = "" if node.value is None else self._word(node.value)
        index = "" if node.index is None else static(f"[{node.index.text}]")
        if DYNAMIC in (value, index):
            return f"{node.name}={DYNAMIC}" if named else DYNAMIC
        return f"{node.name}{index}{operator}{value}"

    def _word(self, word: Word) -> str:
        values = [self._part(part) for part in word.parts]
        return DYNAMIC if DYNAMIC in values else "".join(values)

    def _part(self, part: Part) -> str:
        if isinstance(part, Literal):
            return part.value
        if isinstance(part, Quoted):
            return DYNAMIC if part.value is None else part.value
        if isinstance(part, DoubleQuoted):
            values = [self._part(inner) for inner in part.parts]
            return DYNAMIC if DYNAMIC in values else "".join(values)
        if isinstance(part, Pattern) and id(part) not in self.escaped:
            return static(self.source[part.start : part.end])
        return DYNAMIC


def _joined(escape: re.Match[str]) -> str:
    return "" if escape[1] == "\n" else escape[0]


# -- the difference ------------------------------------------------------------------------------


def missing(bash: Iterable[Fact], ours: Iterable[Fact]) -> tuple[Facts, Facts]:
    """Facts that only bash has, and facts that only we have.

    A word that is DYNAMIC for us and known to bash does not differ: we know less, which is safe.
    """
    by_text = {repr(fact): fact for fact in [*bash, *ours]}
    theirs, own = Counter(map(repr, bash)), Counter(map(repr, ours))
    left = [by_text[text] for text in (theirs - own).elements()]
    right = [by_text[text] for text in (own - theirs).elements()]
    for fact in list(left):
        for candidate in right:
            if _agrees(fact, candidate) or _agrees(_without_time(fact), candidate):
                left.remove(fact)
                right.remove(candidate)
                break
    return left, right


def _agrees(bash: object, ours: object) -> bool:
    if isinstance(bash, list) and isinstance(ours, list):
        return len(bash) == len(ours) and all(map(_agrees, bash, ours))
    if isinstance(bash, str) and isinstance(ours, str) and ours.endswith(DYNAMIC):
        return bash.startswith(ours.removesuffix(DYNAMIC).rstrip("="))
    return bash == ours


def _without_time(fact: Fact) -> Fact:
    """bash 5.2 takes `time` after `$(` for the program, later ones for the reserved word."""
    if fact[0] != "command" or fact[1] or not fact[2] or fact[2][0] != "time":  # type: ignore[index]
        return fact
    words = fact[2][1:]  # type: ignore[index]
    return ["command", [], words[words[:1] == ["-p"] :], fact[3]]

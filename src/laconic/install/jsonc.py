"""Edits JSON files of other programs as text: comments, order, blanks and line ends stay.

Comments and trailing commas are understood, and only what is added is written. Removing what was
added restores the text.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Sequence
from typing import Any, NamedTuple

from laconic.patterns import pattern

Path = tuple[str | int, ...]

_BLANK = " \t\r\n"
_STRING = pattern(r'"(?:[^"\\\x00-\x1f]|\\.)*"')
_WORD = pattern(r"-?[A-Za-z0-9.+-]+")
_INDENT = pattern(r'^([ \t]+)["{\[]', re.MULTILINE)
_DEEPEST = 100


class Node(NamedTuple):
    """A value in the text. kind: `object`, `array` or `scalar`; value: what a scalar says."""

    kind: str
    start: int
    end: int
    members: tuple[Member, ...] = ()
    value: Any = None


class Member(NamedTuple):
    """An element of an array (without a key), or a key of an object and what it says."""

    key: str | None
    start: int
    node: Node


# -- reading ---------------------------------------------------------------------------------------


def parse(text: str) -> Node:
    """Return the tree of a document; else ValueError, with line and column."""
    start = _skip(text, 1 if text.startswith("\ufeff") else 0)
    node = _value(text, start, 0)
    end = _skip(text, node.end)
    if end < len(text):
        raise _error(text, end, "the end of the file")
    return node


def load(node: Node) -> Any:
    """Return the value that a node stands for."""
    if node.kind == "object":
        return {member.key: load(member.node) for member in node.members}
    if node.kind == "array":
        return [load(member.node) for member in node.members]
    return node.value


def find(node: Node, path: Path) -> Node | None:
    """Return the node at a path of keys and numbers; of equal keys the last counts, as in JSON."""
    for step in path:
        member = _member(node, step)
        if member is None:
            return None
        node = member.node
    return node


def _member(node: Node, step: str | int) -> Member | None:
    if isinstance(step, int):
        inside = node.kind == "array" and 0 <= step < len(node.members)
        return node.members[step] if inside else None
    named = [member for member in node.members if node.kind == "object" and member.key == step]
    return named[-1] if named else None


def _value(text: str, at: int, depth: int) -> Node:
    if depth > _DEEPEST:
        raise ValueError(f"is nested more than {_DEEPEST} deep")
    if text.startswith(("{", "["), at):
        return _container(text, at, depth)
    match = (_STRING if text.startswith('"', at) else _WORD).match(text, at)
    if match:
        try:
            return Node("scalar", at, match.end(), value=json.loads(match.group()))
        except ValueError:
            pass
    raise _error(text, at, "a value")


def _container(text: str, start: int, depth: int) -> Node:
    is_object = text[start] == "{"
    close = "}" if is_object else "]"
    members: list[Member] = []
    at = _skip(text, start + 1)
    while not text.startswith(close, at):
        begin, key = at, None
        if is_object:
            key, at = _key(text, at)
        node = _value(text, at, depth + 1)
        members.append(Member(key, begin, node))
        at = _skip(text, node.end)
        if text.startswith(",", at):
            at = _skip(text, at + 1)
        elif not text.startswith(close, at):
            raise _error(text, at, f'"," or "{close}"')
    return Node("object" if is_object else "array", start, at + 1, tuple(members))


def _key(text: str, at: int) -> tuple[str, int]:
    match = _STRING.match(text, at)
    if not match:
        raise _error(text, at, "a key in quotes")
    colon = _skip(text, match.end())
    if not text.startswith(":", colon):
        raise _error(text, colon, '":"')
    return str(json.loads(match.group())), _skip(text, colon + 1)


def _skip(text: str, at: int) -> int:
    """Return the position after blanks and comments."""
    while at < len(text):
        if text[at] in _BLANK:
            at += 1
        elif text.startswith(("//", "/*"), at):
            at = _comment_end(text, at)
        else:
            break
    return at


def _comment_end(text: str, at: int) -> int:
    if text.startswith("//", at):
        end = text.find("\n", at)
        return len(text) if end < 0 else end
    end = text.find("*/", at + 2)
    if end < 0:
        raise _error(text, at, 'the end of the comment, "*/"')
    return end + 2


def _error(text: str, at: int, expected: str) -> ValueError:
    line, column = text.count("\n", 0, at) + 1, at - (text.rfind("\n", 0, at) + 1) + 1
    return ValueError(f"line {line}, column {column}: expected {expected}")


# -- adding ----------------------------------------------------------------------------------------


def append(text: str, path: Sequence[str], value: object) -> str:
    """Add a value at the end of the list at a path; what is missing on the path is made."""
    return _grow(text, path, [value], last=value)


def add_key(text: str, path: Sequence[str], value: object) -> str:
    """Add a key that is not there yet."""
    return _grow(text, path[:-1], {path[-1]: value}, last=value, key=path[-1])


def _grow(
    text: str, path: Sequence[str], fresh: object, *, last: object, key: str | None = None
) -> str:
    """Add `last` to the container at a path, or that container, which is then `fresh`."""
    node = parse(text)
    for number, step in enumerate(path):
        if node.kind != "object":
            raise ValueError(f"{_name(path[:number])} is not an object")
        member = _member(node, step)
        if member is None:
            for missing in reversed(path[number + 1 :]):
                fresh = {missing: fresh}
            return _add(text, node, step, fresh)
        node = member.node
    kind = "array" if key is None else "object"
    if node.kind != kind:
        raise ValueError(f"{_name(path)} is not {'a list' if key is None else 'an object'}")
    return _add(text, node, key, last)


def _name(path: Sequence[str]) -> str:
    return ".".join(path) or "the file"


def _add(text: str, container: Node, key: str | None, value: object) -> str:
    head = "" if key is None else f"{json.dumps(key, ensure_ascii=False)}: "
    if _is_inline(text, container):
        return _add_inline(text, container, head + json.dumps(value, ensure_ascii=False))
    line_end = "\r\n" if "\r\n" in text else "\n"
    unit = match.group(1) if (match := _INDENT.search(text)) else "  "
    base = _indent_of(text, container.start)
    indent = base + unit
    if container.members and (own := _own_line(text, container.members[-1].start)) is not None:
        indent = own
    body = json.dumps(value, indent=unit, ensure_ascii=False).replace("\n", line_end + indent)
    line = f"{line_end}{indent}{head}{body}"
    if container.members:
        return _add_last(text, container, line)
    inner_end = container.end - 1
    at = _last_comment(text, container.start + 1, inner_end)
    if at == container.start + 1 and "\n" not in text[at:inner_end]:
        line += line_end + base
    return text[:at] + line + text[at:]


def _add_last(text: str, container: Node, line: str) -> str:
    """Add a line after the last member, and after a comment on its line."""
    end = container.members[-1].node.end
    comma = _comma(text, end)
    at = _behind_comments(text, end if comma is None else comma + 1)
    if comma is not None:
        return f"{text[:at]}{line},{text[at:]}"
    return f"{text[:end]},{text[end:at]}{line}{text[at:]}"


def _add_inline(text: str, container: Node, body: str) -> str:
    if not container.members:
        at = container.start + 1
        return text[:at] + body + text[at:]
    end = container.members[-1].node.end
    comma = _comma(text, end)
    if comma is None:
        return f"{text[:end]}, {body}{text[end:]}"
    return f"{text[: comma + 1]} {body},{text[comma + 1 :]}"


def _is_inline(text: str, container: Node) -> bool:
    if container.members:
        return "\n" not in text[container.start : container.members[0].start]
    root = parse(text)
    return bool(root.members) and "\n" not in text[root.start : root.end]


def _indent_of(text: str, at: int) -> str:
    line = text[text.rfind("\n", 0, at) + 1 : at]
    return line[: len(line) - len(line.lstrip(" \t"))]


def _own_line(text: str, at: int) -> str | None:
    """Return the blanks before a member that begins its line."""
    line = text[text.rfind("\n", 0, at) + 1 : at]
    return None if line.strip(" \t") else line


def _comma(text: str, end: int) -> int | None:
    """Return the position of the comma after a value that ends there."""
    at = _skip(text, end)
    return at if text.startswith(",", at) else None


def _behind_comments(text: str, at: int) -> int:
    """Return the position after the comments in the rest of a line."""
    end = at
    while True:
        while text.startswith((" ", "\t"), at):
            at += 1
        if not text.startswith(("//", "/*"), at):
            return end
        stop = _comment_end(text, at)
        if "\n" in text[at:stop]:
            return end
        at = stop
        end = len(text[:stop].rstrip(_BLANK))


def _last_comment(text: str, start: int, stop: int) -> int:
    """Return the position after the last comment, or the start if there is none."""
    at = end = start
    while at < stop:
        if text[at] in _BLANK:
            at += 1
        else:
            at = _comment_end(text, at)
            end = len(text[:at].rstrip(_BLANK))
    return end


# -- taking away -----------------------------------------------------------------------------------


def replace(text: str, path: Path, value: object) -> str:
    """Replace a value by another one."""
    node = find(parse(text), path)
    assert node is not None
    body = json.dumps(value, ensure_ascii=False)
    if "\n" in text[node.start : node.end]:
        unit = match.group(1) if (match := _INDENT.search(text)) else "  "
        line_end = "\r\n" if "\r\n" in text else "\n"
        body = json.dumps(value, indent=unit, ensure_ascii=False)
        body = body.replace("\n", line_end + _indent_of(text, node.start))
    return text[: node.start] + body + text[node.end :]


def remove(text: str, path: Path, keep: Collection[Path] = ()) -> str:
    """Remove a member, and then what became empty around it, except for the paths in `keep`."""
    root = parse(text)
    parent = find(root, path[:-1])
    member = _member(parent, path[-1]) if parent else None
    if parent is None or member is None:
        return text
    text = _cut(text, parent, member)
    if path[:-1] in keep or len(path) == 1:
        return text
    left = find(parse(text), path[:-1])
    if left and left.kind != "scalar" and not text[left.start + 1 : left.end - 1].strip(_BLANK):
        return remove(text, path[:-1], keep)
    return text


def _cut(text: str, parent: Node, member: Member) -> str:
    begin, end = len(text[: member.start].rstrip(_BLANK)), member.node.end
    number = parent.members.index(member)
    comma = _comma(text, end)
    if comma is not None:
        end = comma + 1
    elif number:
        # The comma before it may come before a comment, which stays.
        before = _comma(text, parent.members[number - 1].node.end)
        assert before is not None
        text = text[:before] + text[before + 1 :]
        begin, end = begin - 1, end - 1
        parent = parent._replace(end=parent.end - 1)
    if len(parent.members) == 1 and begin == parent.start + 1:
        end += _wrapping(text, parent, end)
    return text[:begin] + text[end:]


def _wrapping(text: str, parent: Node, end: int) -> int:
    """How much of the blanks after the only member came with it: the line end, the indent."""
    rest = text[end : parent.end - 1]
    line_end = "\r\n" if rest.startswith("\r\n") else "\n"
    ours = line_end + _indent_of(text, parent.start)
    is_ours = rest.startswith(ours) and not rest[len(ours) :].strip(" \t")
    return len(ours) if is_ours else 0

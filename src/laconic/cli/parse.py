"""laconic parse: print the parse tree of a command."""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Iterator
from typing import Any

from laconic.errors import LaconicError, UsageError
from laconic.shell import ParseError, parse
from laconic.shell.ast import Node
from laconic.shell.words import quoted

_LIMIT = 1 << 20
_WIDTH = 76


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "command", nargs="+", metavar="COMMAND", help="one text, in quotes; - reads it from stdin"
    )
    parser.add_argument("--json", action="store_true", help="print the tree as JSON")


def main(args: argparse.Namespace) -> int:
    source = _read_source(args.command)
    try:
        tree = parse(source)
    except ParseError as error:
        message = f"cannot parse this: {error.message}"
        raise _error_at(source, error.offset, message) from error
    if args.json:
        print(json.dumps({"version": 1, "tree": _to_json(tree.body)}, indent=1, ensure_ascii=False))
    else:
        print("\n".join(_lines(tree.body, source)))
    return 0


def _read_source(words: list[str]) -> bytes:
    if len(words) > 1:
        whole = quoted(" ".join(words))
        raise UsageError("parse takes one text", f"put it in quotes: laconic parse {whole}")
    if words == ["-"]:
        if not sys.stdin:
            raise LaconicError("stdin is closed")
        source = sys.stdin.buffer.read(_LIMIT + 1)
    else:
        source = os.fsencode(words[0])
    _refuse_unreadable(source)
    return source


def _refuse_unreadable(source: bytes) -> None:
    if len(source) > _LIMIT:
        raise LaconicError(f"the command is larger than {_LIMIT // 1024} KB")
    if not source.strip():
        raise LaconicError("the command is empty", "laconic parse 'ls -l | wc -l'")
    if b"\0" in source:
        raise _error_at(source, source.index(b"\0"), "a NUL byte cannot be part of a command")
    try:
        source.decode()
    except UnicodeDecodeError as error:
        raise _error_at(source, error.start, "not valid UTF-8") from error


def _error_at(source: bytes, offset: int, message: str) -> LaconicError:
    """Build an error that shows the line and points at the byte."""
    start = source.rfind(b"\n", 0, offset) + 1
    end = source.find(b"\n", offset)
    before = _readable(source[start:offset])
    after = _readable(source[offset : end if end >= 0 else len(source)])
    if len(before) > _WIDTH // 2:
        before = "…" + before[-_WIDTH // 2 :]
    line = (before + after)[:_WIDTH]
    return LaconicError(f"{message}, at byte {offset}\n  {line}\n  {' ' * len(before)}^")


def _readable(data: bytes) -> str:
    """Make hostile text safe to print: one column per character, no control characters."""
    text = data.decode("utf-8", "replace")
    return "".join(c if c.isprintable() else " " if c == "\t" else "\ufffd" for c in text)


# -- the tree ------------------------------------------------------------------------------------


def _lines(node: Node, source: bytes, label: str = "", depth: int = 0) -> Iterator[str]:
    """Yield a line for a node with its plain fields, then the lines of the nodes in it."""
    plain, children = _fields(node)
    head = " ".join([f"{label}{type(node).__name__}", f"{node.start}-{node.end}", *plain])
    text = _readable(source[node.start : node.end].replace(b"\n", b" "))
    room = max(_WIDTH - 2 * depth - len(head), 20)
    yield f"{'  ' * depth}{head}  {text if len(text) <= room else text[: room - 1] + '…'}"
    for name, child in children:
        yield from _lines(child, source, f"{name}: ", depth + 1)


def _fields(node: Node) -> tuple[list[str], list[tuple[str, Node]]]:
    plain: list[str] = []
    children: list[tuple[str, Node]] = []
    for name, value in node.fields():
        items = value if isinstance(value, tuple) else (value,)
        nodes = [(name, item) for item in items if isinstance(item, Node)]
        children += nodes
        if not nodes and any(items):
            plain.append(f"{name}={_plain(value)}")
    return plain, sorted(children, key=lambda child: child[1].start)


def _plain(value: object) -> str:
    return repr(_text(value)) if isinstance(value, str) else str(value)


def _text(value: str) -> str:
    """Turn a node's text (one character per byte) into readable text."""
    return value.encode("latin-1").decode("utf-8", "replace")


def _to_json(value: object) -> Any:
    if isinstance(value, Node):
        head = {"node": type(value).__name__, "start": value.start, "end": value.end}
        return head | {name: _to_json(field) for name, field in value.fields()}
    if isinstance(value, tuple):
        return [_to_json(item) for item in value]
    return _text(value) if isinstance(value, str) else value

"""laconic filters import: take over filters of tokf and rules of tokenjuice."""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from laconic.cli import draft
from laconic.compact.filter import Filter
from laconic.compact.foreign import Imported, from_tokenjuice, from_tokf
from laconic.compact.lines import read_lines
from laconic.compact.load import BUILT_IN, built_in_ids, check_bytes
from laconic.compact.pipeline import apply
from laconic.errors import LaconicError
from laconic.files import read_file, write_private
from laconic.settings import toml
from laconic.settings.load import read_directories

_TESTS = "_test"  # of tokf: a directory of cases beside each filter
_MOST_EXAMPLES = 4
_SAYS = ("drop", "keep", "replace", "shape", "head", "tail", "success", "failure")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "source", metavar="WHERE", help="a file or a directory: TOML of tokf, JSON of tokenjuice"
    )


def main(args: argparse.Namespace) -> int:
    written = 0
    for path in _files(Path(args.source)):
        for imported in _read(path, Path(args.source)):
            written += _write(imported, path)
    if not written:
        raise LaconicError(f"{args.source}: no filter could be taken over")
    print("next: laconic filters test")
    return 0


def _files(source: Path) -> list[Path]:
    if not source.is_dir():
        return [source]
    files = sorted(path for ending in ("toml", "json") for path in source.rglob(f"*.{ending}"))
    folders = [path.relative_to(source).parent.parts for path in files]
    return [
        path
        for path, parts in zip(files, folders, strict=True)
        if not any(part.endswith(_TESTS) for part in parts)
    ]


def _read(path: Path, source: Path) -> Iterator[Imported]:
    data = read_file(path)
    try:
        document = json.loads(data) if path.suffix == ".json" else toml.parse(data)
    except ValueError as error:
        print(f"{path}: left out: {error}")
        return
    if path.suffix == ".json":
        rules = document.get("rules", [document]) if isinstance(document, dict) else document
        yield from (from_tokenjuice(rule) for rule in rules if isinstance(rule, dict))
        return
    name = str(path.relative_to(source).with_suffix("")) if source.is_dir() else ""
    yield from_tokf(document, name)


def _write(imported: Imported, origin: Path) -> int:
    """Write a filter and say what was left out of it; return how many were written."""
    path = read_directories().config / "filters" / f"{imported.identifier}.toml"
    said = [f"  left out: {reason}" for reason in imported.left_out]
    reason = _refusal(imported, path)
    text = _text(imported, _examples(imported, origin)) if not reason else ""
    if text:
        _, problems = check_bytes(text.encode(), str(path))
        reason = problems[0].line if problems else ""
    if reason:
        print("\n".join([f"{origin}: left out: {reason}", *said]))
        return 0
    write_private(path, text.encode())
    print(f"{path}\n  for: {', '.join(imported.table['command'])}")
    if imported.identifier in built_in_ids():
        print(f"  instead of: {imported.identifier} ({BUILT_IN})")
    print("\n".join(said)) if said else None
    return 1


def _refusal(imported: Imported, path: Path) -> str:
    folder = read_directories().config / "filters"
    if not imported.table["command"]:
        return "it names no command"
    if not any(key in imported.table for key in _SAYS):
        return "nothing of what it does can be said here"
    if not imported.identifier or not path.resolve().is_relative_to(folder.resolve()):
        return f"{imported.identifier!r} is not a name for it"
    return f"{path} already exists" if path.exists() else ""


def _examples(imported: Imported, origin: Path) -> Iterator[dict[str, Any]]:
    """The cases of tokf beside a filter that have their output in them."""
    folder = origin.with_name(f"{origin.stem}{_TESTS}")
    for path in sorted(folder.glob("*.toml"))[:_MOST_EXAMPLES]:
        try:
            case = toml.parse(read_file(path))
        except ValueError:
            continue
        text = str(case.get("inline", ""))
        if text.strip():
            text += "" if text.endswith("\n") else "\n"
            status = case.get("exit_code", 0)
            status = status if isinstance(status, int) else 1
            yield {"command": imported.table["command"][0], "status": status, "input": text}


def _text(imported: Imported, examples: Iterator[dict[str, Any]]) -> str:
    about = " ".join(imported.about.split())
    lines = [f"# {about}", *_keys(imported.table)]
    for name in ("success", "failure"):
        if name in imported.table:
            lines += ["", f"[{name}]", *_keys(imported.table[name])]
    text = "\n".join([*lines, ""])
    for example in examples:
        raw = str(example["input"])
        compacted = apply(Filter("", imported.table), example["status"], read_lines(raw.encode()))
        shown = compacted.text() if compacted else raw
        text += f"""
[[example]]
command = {toml.quote(example["command"])}
status = {example["status"]}
input = \"\"\"
{draft.quoted(raw)}\"\"\"
output = \"\"\"
{draft.quoted(shown)}\"\"\"
"""
    return text


def _keys(table: dict[str, Any]) -> list[str]:
    plain = {key: value for key, value in table.items() if key not in ("success", "failure")}
    return [f"{key} = {toml.inline(value)}" for key, value in plain.items()]

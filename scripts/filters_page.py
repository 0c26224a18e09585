"""The part of docs/filters.md that shows every built-in filter, made of its own examples."""

from __future__ import annotations

import html
import sys
from typing import TYPE_CHECKING, Any

from laconic.compact.filter import TEXT
from laconic.compact.lines import read_lines
from laconic.compact.load import DATA, built_in, built_in_ids
from laconic.compact.pipeline import apply
from laconic.compact.stages.clean import clean

if TYPE_CHECKING:
    from collections.abc import Iterable

    from laconic.compact.filter import Filter

# Each filter has its place: its id, or the first part of it.
GROUPS = {
    "Tests": (
        "bun/test", "c8", "cargo/bench", "cargo/nextest", "cargo/test", "ctest", "deno/test",
        "django/test", "dotnet/test", "npm/test", "pytest", "vitest",
    ),
    "Builds, compilers and programs": (
        "autoconf", "build", "cmake", "dotnet/build", "go/build", "gradle", "make",
        "meson", "mvn", "next", "turbo", "vite", "webpack",
    ),
    "Linters, type checkers and formatters": (
        "bandit", "cargo/fmt",
    ),
    "Version control and its hosts": (
        "git", "gh",
    ),
    "Packages": (
        "apt", "bundle", "cargo/tree", "composer", "npm/audit", "pip",
        "pipenv", "pnpm", "yarn",
    ),
    "Files": (
        "grep", "ls", "rsync",
    ),
    "Containers, clusters and machines": (
        "ansible", "docker", "kubectl", "lsof", "terraform",
    ),
    "Databases and the network": (
        "curl", "django/migrate", "wget",
    ),
}  # fmt: skip
_CLOSING = "</pre></details>\n"
_BEFORE, _AFTER = 4, 5  # lines of an example; a longer one loses its middle


def gallery() -> str:
    """What there is, and a folded example of each filter."""
    grouped: dict[str, list[str]] = {group: [] for group in GROUPS}
    for identifier in sorted(built_in_ids()):
        if not _loaded(identifier).is_row:
            grouped[group_of(identifier)].append(identifier)
    parts = ["| | |", "|---|---|"]
    for group, identifiers in grouped.items():
        links = ", ".join(f"[{each}](#{_anchor(each)})" for each in identifiers)
        parts.append(f"| {group} | {links} |")
    for group, identifiers in grouped.items():
        parts += ["", f"### {group}", "", *map(_section, identifiers)]
    return "\n".join(parts).rstrip("\n")


def _anchor(identifier: str) -> str:
    return f"filter-{identifier.replace('/', '-')}"


def group_of(identifier: str) -> str:
    tool = identifier.partition("/")[0]
    found = [group for group, ids in GROUPS.items() if identifier in ids]
    found += [group for group, ids in GROUPS.items() if tool in ids]
    if not found:
        sys.exit(
            f"the filter {identifier} has no group: add it to GROUPS in scripts/filters_page.py"
        )
    return found[0]


def _loaded(identifier: str) -> Filter:
    wanted = built_in(identifier)
    assert wanted is not None
    return wanted


def _section(identifier: str) -> str:
    wanted = _loaded(identifier)
    comment = (DATA / f"{identifier}.toml").read_text().splitlines()
    about = " ".join(line[2:] for line in comment[: _first_that_is_no_comment(comment)])
    example = max(wanted.table["example"], key=lambda example: _hidden(wanted, example))
    before, after = _texts(wanted, example)
    hidden = _hidden(wanted, example)
    said = f"{hidden} of {len(before)} lines hidden" if hidden else "nothing hidden"
    shown = ["(all of it)"] if before == after else _cut(after, _AFTER)
    title = f"<b>{identifier}</b>: {_escaped(about)} For {_as_code(wanted.commands)}."
    run = f"$ {example['command']}   (status {example['status']})"
    block = [run, *_cut(before, _BEFORE), f"--- shown, {said}:", *shown]
    opening = f'<details id="{_anchor(identifier)}"><summary>{title}</summary><pre>'
    return "\n".join([opening + _escaped(block[0]), *map(_escaped, block[1:]), _CLOSING])


def _first_that_is_no_comment(lines: list[str]) -> int:
    return next(pos for pos, line in enumerate(lines) if not line.startswith("# "))


def _hidden(wanted: Filter, example: dict[str, Any]) -> int:
    compacted = apply(wanted, example["status"], read_lines(example["input"].encode()))
    dropped = compacted.dropped if compacted else ()
    return sum(last - first + 1 for first, last in dropped)


def _texts(wanted: Filter, example: dict[str, Any]) -> tuple[list[str], list[str]]:
    lines = read_lines(example["input"].encode())
    cleaned = clean(lines, is_text=wanted.kind == TEXT).texts
    return list(cleaned), example["output"].splitlines()


def _cut(lines: list[str], most: int) -> list[str]:
    """The lines without blank ones, which would end the element; many without their middle."""
    written = [line.rstrip() for line in lines if line.strip()]
    if len(written) <= most:
        return written
    first = most // 2
    gap = f"[... {len(written) - most + 1} lines that are not printed here]"
    return [*written[:first], gap, *written[first + 1 - most :]]


def _escaped(text: str) -> str:
    return html.escape(text, quote=False)


def _as_code(commands: Iterable[str]) -> str:
    return ", ".join(f"<code>{_escaped(command)}</code>" for command in commands)

"""laconic config: show, change and check the configuration."""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from laconic.cli import config_edit
from laconic.cli.main import complain
from laconic.cli.parser import add_actions
from laconic.compact.load import load_filters
from laconic.errors import FileError, Problem
from laconic.files import read_file
from laconic.policy.from_config import load_library
from laconic.policy.unknown_names import unknown_names
from laconic.settings import toml, trust
from laconic.settings.environ import VARIABLES
from laconic.settings.layers import check_bytes, check_file
from laconic.settings.load import Settings, files_in, process_environment, read_settings
from laconic.settings.managed import LIMIT, PATH
from laconic.settings.merge import Items, Sourced, Values, to_document, where
from laconic.settings.requirements import DEFAULT, REQUIRE, check_policy
from laconic.settings.schema import closest

_WIDTH = 100
_FOLDERS = ("filters", "rules")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    action = add_actions(parser)
    show = action("show", "print the configuration that is in force")
    show.add_argument("--json", action="store_true", help="print JSON instead of TOML")
    show.add_argument("--sources", action="store_true", help="say where each value comes from")
    path = action("path", "print where the configuration files are")
    path.add_argument("--json", action="store_true", help="print JSON")
    check = action("check", "look for mistakes; exit status 1 when there are any")
    check.add_argument("file", nargs="?", metavar="FILE", help="check this file alone")
    check.add_argument("--json", action="store_true", help="print JSON")
    config_edit.add_arguments(action)


def main(args: argparse.Namespace) -> int:
    if args.action == "check":
        return _check(Path(args.file) if args.file else None, as_json=args.json)
    if args.action not in ("show", "path"):
        return config_edit.main(args)
    settings = read_settings()
    if args.action == "path":
        return _path(settings, as_json=args.json)
    warn(settings.problems)
    if args.json:
        return _show_json(settings, with_sources=args.sources)
    managed = settings.managed
    locked = dict.fromkeys(managed.locked, managed.said) if managed else {}
    print("\n".join(render(settings.values, locked, with_sources=args.sources)))
    return 0


def warn(problems: Iterable[Problem]) -> None:
    for problem in problems:
        complain(problem.line, problem.hint)


# -- path and check ------------------------------------------------------------------------------


def _path(settings: Settings, *, as_json: bool) -> int:
    path = settings.user_config_path
    if as_json:
        project = settings.project and {
            "path": str(settings.project.config_path),
            "trusted": settings.project.trusted,
        }
        user = {"path": str(path), "exists": path.exists()}
        policy = {"path": PATH, "exists": settings.managed is not None}
        places = {"user": user, "project": project, "policy": policy}
        print(json.dumps({"version": 1, **places}))
        return 0
    if settings.managed:
        print(f"policy   {PATH}")
    print(f"user     {path}{'' if path.exists() else '  (not there)'}")
    if project := settings.project:
        print(f"project  {project.config_path}{'' if project.trusted else '  (untrusted)'}")
    return 0


def _check(path: Path | None, *, as_json: bool) -> int:
    if path:
        problems, checked = _check_alone(path), str(path)
    else:
        settings = read_settings()
        problems = all_problems(settings)
        checked = ", ".join(files_read(settings)) or "no files, the built-in configuration"
    if as_json:
        documents = [_as_document(problem) for problem in problems]
        print(json.dumps({"version": 1, "checked": checked, "problems": documents}))
        return 1 if problems else 0
    warn(problems)
    if not path:
        _warn_of_names(settings)
    if not problems:
        print(f"ok: {checked}")
    return 1 if problems else 0


def _check_alone(path: Path) -> list[Problem]:
    """Check one file: a policy is told by its tables, which no configuration has."""
    document, problems = check_file(path)
    try:
        data = read_file(path, LIMIT)
        is_policy = bool({DEFAULT, REQUIRE} & toml.parse(data).keys())
    except (FileError, ValueError):
        is_policy = False
    return check_policy(data, str(path))[1] if is_policy and not document else problems


def _warn_of_names(settings: Settings) -> None:
    """Name entries that may be mistyped; they may as well be programs of the user's own."""
    for name, message, hint in unknown_names(settings.config, load_library(settings)[0]):
        complain(f"{where(name)}: {message}", hint)


def files_read(settings: Settings) -> list[str]:
    """List the configuration files, and the files of filters and rules next to them."""
    files = [Path(PATH)] if settings.managed else []
    files += [settings.user_config_path] if settings.user_config_path.exists() else []
    files += [settings.project.config_path] if settings.project else []
    beside = [file.path for folder in _FOLDERS for file in files_in(folder, settings)[0]]
    return [*map(str, files), *beside]


def all_problems(settings: Settings) -> list[Problem]:
    """List all problems, also in rules, filters, and a project's file that is not yet trusted."""
    problems = [*settings.problems, *load_library(settings)[1], *load_filters(settings).problems]
    problems += _mistyped_variables(process_environment())
    project = settings.project
    if project and not project.trusted and trust.CONFIG in project.snapshot.files:
        data = project.snapshot.files[trust.CONFIG]
        later = check_bytes(data, str(project.config_path))[1]
        problems += [problem for problem in later if problem not in problems]
    return problems


def _mistyped_variables(environ: Mapping[str, str]) -> Iterator[Problem]:
    """Name variables that look like laconic's and are not: they have no effect."""
    known = [variable.name for variable in VARIABLES]
    for name in environ:
        if name.startswith("LACONIC_") and name not in known:
            best = closest(
                name.removeprefix("LACONIC_"), [n.removeprefix("LACONIC_").lower() for n in known]
            )
            hint = (
                f"did you mean LACONIC_{best.upper()}?" if best else "docs/environment.md has all"
            )
            yield Problem("no effect", "", name, "there is no such variable", hint)


# -- show ----------------------------------------------------------------------------------------


def _show_json(settings: Settings, *, with_sources: bool) -> int:
    document: dict[str, Any] = {
        "version": 1,
        "config": to_document(settings.values),
        "problems": [_as_document(problem) for problem in settings.problems],
    }
    if managed := settings.managed:
        document["policy"] = {"name": managed.name, "serial": managed.serial}
        document["locked"] = sorted(managed.locked)
    if with_sources:
        document["sources"] = {name: _sources(entry) for name, entry in settings.values.items()}
    print(json.dumps(document, indent=1, ensure_ascii=False))
    return 0


def _as_document(problem: Problem) -> dict[str, str]:
    return dict(zip(("kind", "file", "where", "message", "hint"), problem.row, strict=True))


def _sources(entry: Sourced | Items) -> str | list[str]:
    return entry.source if isinstance(entry, Sourced) else [item.source for item in entry.items]


def render(
    values: Values, locked: Mapping[str, str] | None = None, *, with_sources: bool = False
) -> Iterator[str]:
    """Write the values as TOML, with their sources as comments. locked: who decides keys."""
    current = ""
    rows: list[tuple[str, Items]] = []
    for name, entry in values.items():
        table, _, key = name.rpartition(".")
        if table != current:
            yield from ("", f"[{table}]")
            current = table
        if by := (locked or {}).get(name):
            yield f"# locked: {by} requires this, or what is stricter"
        if isinstance(entry, Items) and entry.items and isinstance(entry.items[0].value, dict):
            rows.append((name, entry))
        else:
            yield from _entry(key, entry, with_sources=with_sources)
    for name, entry in rows:
        for item in entry.items:
            yield from ("", f"[[{name}]]" + _comment(item.source, with_sources=with_sources))
            yield from (f"{toml.key(key)} = {toml.inline(v)}" for key, v in item.value.items())


def _entry(key: str, entry: Sourced | Items, *, with_sources: bool) -> Iterator[str]:
    if isinstance(entry, Sourced):
        yield f"{key} = {toml.inline(entry.value)}" + _comment(
            entry.source, with_sources=with_sources
        )
    elif with_sources and entry.items:
        yield f"{key} = ["
        for item in entry.items:
            yield f"    {toml.inline(item.value)},{_comment(item.source, with_sources=True)}"
        yield "]"
    else:
        yield from _list(key, [toml.inline(item) for item in entry.value])


def _list(key: str, items: list[str]) -> Iterator[str]:
    """Write a list on one line, or on as many full lines as it needs."""
    if len(whole := f"{key} = [{', '.join(items)}]") <= _WIDTH:
        yield whole
        return
    yield f"{key} = ["
    line = "   "
    for item in items:
        if len(line) + len(item) + 2 > _WIDTH and line.strip():
            yield line
            line = "   "
        line += f" {item},"
    yield line
    yield "]"


def _comment(source: str, *, with_sources: bool) -> str:
    return f"  # {source}" if with_sources else ""

"""laconic export: send figures to a collector, or write them as Parquet."""

from __future__ import annotations

import argparse
import time
from collections.abc import Mapping
from pathlib import Path

from laconic.cli import times
from laconic.cli.main import complain
from laconic.errors import LaconicError, UsageError
from laconic.export import otlp
from laconic.export.cursor import alone, read_cursor
from laconic.export.identity import identity, placed
from laconic.export.post import post, read_endpoint, read_headers
from laconic.export.send import send
from laconic.files import read_file
from laconic.settings.config import Export
from laconic.settings.load import Settings, process_environment, read_settings


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--show", action="store_true", help="print what would go; send nothing")
    parser.add_argument("--endpoint", metavar="URL", help="send it there; default: export.endpoint")
    parser.add_argument("--parquet", metavar="FILE", type=Path, help="write rows there instead")
    parser.add_argument("--since", metavar="WHEN", help="only newer rows: 2h, 7d, 2026-11-01")


def main(args: argparse.Namespace) -> int:
    if args.parquet and (args.show or args.endpoint):
        raise UsageError("--parquet writes a file and sends nothing")
    if args.since and not args.parquet:
        raise UsageError("--since goes with --parquet", "laconic export sends what is new")
    environ = process_environment()
    settings = read_settings(environ, "/")  # a project has no say in this, trusted or not
    if args.parquet:
        return _write(args.parquet, args.since, settings, environ)
    return _send(args.endpoint, settings, environ, is_shown=args.show)


def _send(
    endpoint: str | None, settings: Settings, environ: Mapping[str, str], *, is_shown: bool
) -> int:
    export, state_dir = settings.config.export, settings.directories.state
    url = endpoint or export.endpoint
    if not url and not is_shown:
        hint = "laconic config set export.endpoint http://127.0.0.1:4318; laconic export --show"
        raise LaconicError("nothing is sent: no endpoint is configured", hint)
    target = read_endpoint(url) if url else None
    headers = _headers(export, environ) if url == export.endpoint else {}  # they are secrets

    def deliver(path: str, body: bytes) -> str:
        if is_shown or target is None:
            print(body.decode())
            return ""
        return post(target, path, body, headers)

    with alone(state_dir):
        cursor = read_cursor(state_dir, url)
        who = identity(state_dir, export, environ)
        about = otlp.resource(who.machine, who.team)
        keep = (lambda: None) if is_shown else cursor.keep
        sent = send(state_dir, cursor, export, about, deliver, keep, time.time())
    for note in sent.notes:
        complain(note)
    if not is_shown:
        decisions = f", {sent.decisions:,} decisions" if export.decisions else ""
        print(f"{url}: {sent.sums:,} sums{decisions}")
    return 0


def _headers(export: Export, environ: Mapping[str, str]) -> dict[str, str]:
    if not export.headers_file:
        return {}
    path = placed(export.headers_file, environ)
    return read_headers(read_file(path).decode("utf-8", "replace"), path)


def _write(path: Path, since: str | None, settings: Settings, environ: Mapping[str, str]) -> int:
    from laconic.export.parquet import write  # noqa: PLC0415 - it needs what may not be installed
    from laconic.export.rows import rows  # noqa: PLC0415 - as above

    now = time.time()
    export, state_dir = settings.config.export, settings.directories.state
    who = identity(state_dir, export, environ)
    begin = times.since(since, now) if since else 0.0
    found = rows(state_dir, environ, who, since=begin, now=now, with_commands=export.commands)
    count = write(path, found)
    print(f"{path}: {count:,} rows")
    return 0

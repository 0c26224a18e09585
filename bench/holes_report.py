"""Count which of the commands that once ran unasked still do, in each profile and mode.

python bench/holes_report.py FILE [--rows]

FILE has one JSON object per line: `command`, the lines that ran `before` it, a `setup` (files by
name, `sh` for a script) and `allowed_in`, the profile and mode in which it ran (`guard/default`,
`/box` where a box could be made). Each is put up in a project of its own, in a home of its own,
and asked about by the hook of Claude Code; what asks nothing in the mode counts as unasked.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import tempfile
from collections import Counter
from pathlib import Path
from typing import Any

from boxes import with_box

from laconic import engine
from laconic.hooks.answer import answer
from laconic.policy.from_config import build_rules, load_library
from laconic.settings.load import read_settings
from laconic.types import Verdict

Row = dict[str, Any]
HOME = "/home/u"  # as the rows spell it
PROJECT = "p"
TRACKED = {"a.txt": "hello-DATA\n", "sub/b.txt": "b\n"}
BOX = 3  # parts of a place where a box can be made


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("file", type=Path)
    parser.add_argument("--rows", action="store_true", help="print each row that is unasked")
    args = parser.parse_args()
    rows = [json.loads(line) for line in args.file.read_text("utf-8").splitlines() if line.strip()]
    asked: Counter[str] = Counter()
    unasked: Counter[str] = Counter()
    open_rows = []
    for row in rows:
        places = [place for place in row["allowed_in"] if " " not in place]
        loose = [place for place in places if is_unasked(row, place)]
        asked.update(set(places) - set(loose))
        unasked.update(loose)
        if loose:
            open_rows.append((row, loose))
    counted = sum(any(" " not in place for place in row["allowed_in"]) for row in rows)
    print(f"{len(open_rows)} of {counted} rows are unasked somewhere")
    for place in sorted(asked | unasked):
        print(f"  {place:32} {unasked[place]:4} of {unasked[place] + asked[place]:4} unasked")
    for row, loose in open_rows if args.rows else ():
        print(f"  {row['cause']}: {json.dumps(row['command'])[:110]}  [{' '.join(loose)}]")
    return 0


def is_unasked(row: Row, place: str) -> bool:
    """Put up the row's files and ask the hook."""
    with tempfile.TemporaryDirectory(dir=Path.home()) as made:  # not a temporary place
        home = Path(made).resolve() / "u"
        project = home / PROJECT
        profile, mode, *rest = place.split("/")
        environ = {"HOME": str(home), "PATH": os.environ["PATH"], "LACONIC_NO_SERVER": "1"}
        _put_up(row, home, project, environ)
        settings = f'[settings]\nprofile = "{profile}"\n'
        _write(home / ".config/laconic/config.toml", settings)
        for line in row.get("before") or ():
            _said(line.replace(HOME, str(home)), mode, project, environ)
            _run(line.replace(HOME, str(home)), project, environ)
        command = row["command"].replace(HOME, str(home))
        tool, _, path = command.partition(" ")
        if tool == "Write":
            return _said_of_tool(tool, {"file_path": path}, mode, project, environ) == ""
        said = _said(command, mode, project, environ)
        if not rest or said in ("allow", "deny"):
            return said in ("", "allow") if mode == "bypassPermissions" else said == "allow"
        return _is_allowed_in_box(command, project, environ)


def _is_allowed_in_box(command: str, project: Path, environ: dict[str, str]) -> bool:
    settings = read_settings(environ, str(project))
    request = engine.Request(command, str(project), environ)
    decision = engine.decide_request(request, settings)
    library, _ = load_library(settings)
    rules = build_rules(settings, library, environ, ())
    boxed = with_box(command, decision, rules, request.facts)
    return boxed.verdict is Verdict.ALLOW


def _put_up(row: Row, home: Path, project: Path, environ: dict[str, str]) -> None:
    key = "-----BEGIN OPENSSH PRIVATE KEY-----\nkey\n-----END OPENSSH PRIVATE KEY-----\n"
    for path, text in {".ssh/id_rsa": key, ".bashrc": "\n"}.items():
        _write(home / path, text)
    for path, text in TRACKED.items():
        _write(project / path, text)
    _run(
        "git init -q -b main; git config user.email u@example.com; git config user.name u;"
        " git add .; git commit -qm a; echo more >> a.txt; git commit -qam b",
        project, environ,
    )  # fmt: skip
    _write(project / ".env", "TOKEN=value\n")
    for name, text in (row.get("setup") or {}).items():
        if name == "sh":
            _run(text.replace(HOME, str(home)), project, environ)
        elif name == "env":
            environ["PATH"] = f"{project}/.venv/bin:{environ['PATH']}"
            _write(project / ".venv/bin/ls", "#!/bin/sh\n")
            (project / ".venv/bin/ls").chmod(0o755)
        elif name != "net":
            _write(project / name, text.replace(HOME, str(home)))


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


def _run(line: str, project: Path, environ: dict[str, str]) -> None:
    """Run a line of the set-up. What it cannot do without a network is as if it had failed."""
    subprocess.run(  # noqa: S603 - the rows are ours
        ("bash", "-c", line), cwd=project, env=environ, check=False, timeout=20,  # noqa: S607
        stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )  # fmt: skip


def _said(command: str, mode: str, project: Path, environ: dict[str, str]) -> str:
    return _said_of_tool("Bash", {"command": command}, mode, project, environ)


def _said_of_tool(
    tool: str, given: dict[str, str], mode: str, project: Path, environ: dict[str, str]
) -> str:
    """What the hook answers: allow, ask, deny, or nothing."""
    call = {
        "hook_event_name": "PreToolUse",
        "tool_name": tool,
        "tool_input": given,
        "cwd": str(project),
        "permission_mode": mode,
    }
    found = answer("claude-code", "PreToolUse", json.dumps(call).encode(), environ, str(project))
    if not found.stdout:
        return ""
    output = json.loads(found.stdout).get("hookSpecificOutput", {})
    return str(output.get("permissionDecision", ""))


if __name__ == "__main__":
    raise SystemExit(main())

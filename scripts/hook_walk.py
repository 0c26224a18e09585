"""Count what one warm hook call visits: functions, files, and changes from one file to another.

`python scripts/hook_walk.py [COMMAND] [DIRECTORY]` prints the files in the order of their first
visit. DIRECTORY: where the command would run, `/` if none is given.
"""

from __future__ import annotations

import json
import sys
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

import laconic
from laconic.hooks.answer import answer

if TYPE_CHECKING:
    from types import FrameType

ROOT = str(Path(laconic.__file__).parent)


def main() -> int:
    command = sys.argv[1] if len(sys.argv) > 1 else "git status && cargo test 2>&1 | tail -5"
    cwd = sys.argv[2] if len(sys.argv) > 2 else "/"  # noqa: PLR2004
    call = {"hook_event_name": "PreToolUse", "tool_name": "Bash", "cwd": cwd}
    data = json.dumps({**call, "tool_input": {"command": command}}).encode()
    visited: list[tuple[str, str]] = []

    def note(frame: FrameType, event: str, _argument: Any) -> None:
        if event == "call" and frame.f_code.co_filename.startswith(ROOT):
            path = frame.f_code.co_filename[len(ROOT) + 1 :]
            visited.append((path, frame.f_code.co_qualname))

    for watched in (False, True):  # the first call loads what a warm server has
        sys.setprofile(note if watched else None)
        given = answer("claude-code", "PreToolUse", data, {"HOME": "/nonexistent"}, cwd)
        sys.setprofile(None)
    files = list(dict.fromkeys(path for path, _ in visited))
    changes = sum(a[0] != b[0] for a, b in pairwise(visited))
    print(*files, sep="\n")
    print(f"{len(set(visited))} functions in {len(files)} files, {changes} changes of file")
    return 1 if given.fault else 0


if __name__ == "__main__":
    sys.exit(main())

"""Does with an installed laconic what a stranger does first, in a home of its own.

python first_steps.py PROGRAM HOME; it needs nothing but Python, so that it runs on any machine.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

DENIED = {"hook_event_name": "PreToolUse", "tool_name": "Bash", "cwd": "/"} | {
    "tool_input": {"command": "rm -rf /"}
}


def main(argv: list[str]) -> int:
    program, home = (Path(word).absolute() for word in argv)
    shutil.rmtree(home, ignore_errors=True)
    project = home / "project"
    project.mkdir(parents=True)
    path = f"{program.parent}:/usr/bin:/bin"
    environ = {"HOME": str(home), "PATH": path, "XDG_RUNTIME_DIR": str(home), "LANG": "C.UTF-8"}
    steps = 0

    def typed(*words: str, status: int = 0, stdin: str = "") -> str:
        nonlocal steps
        done = subprocess.run(  # noqa: S603 - the program that is tried
            [program, *words], env=environ, cwd=project, input=stdin, check=False,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
        )  # fmt: skip
        if done.returncode != status:
            sys.exit(f"laconic {' '.join(words)}\n{done.stdout}ended with {done.returncode}")
        steps += 1
        return done.stdout

    try:
        assert typed("--version").startswith("laconic ")
        assert typed("check", "git status").startswith("allow ")
        assert typed("check", "rm -rf /", status=20).startswith("deny ")

        assert "claude-code" in typed("install", "claude-code", "--global", "--yes")
        assert "laconic hook claude-code" in (home / ".claude/settings.json").read_text()
        assert '"deny"' in typed("hook", "claude-code", stdin=json.dumps(DENIED))
        both = typed("run", "sh", "-c", "echo told; echo wrong >&2; exit 7", status=7)
        assert sorted(both.split()) == ["told", "wrong"]
        assert "lines hidden: laconic recall" in typed("run", "seq", "3000")
        whole = "".join(f"{n}\n" for n in range(1, 3001))
        assert typed("recall", "last", "--raw").endswith(whole)
        (project / "file").write_text("kept\n")
        typed("run", "--undo", "rm", "file")
        assert not (project / "file").exists()
        typed("undo")
        assert (project / "file").read_text() == "kept\n"
        assert "seq 3000" in typed("history")
        assert "tokens" in typed("gain")
        typed("doctor")  # ends with 1 if something does not work
        typed("uninstall", "claude-code")
        assert not (home / ".claude/settings.json").exists()
    finally:
        typed("server", "stop")
    print(f"{steps} steps went as they should")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

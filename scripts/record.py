"""Record what real tools print, for the cases of filters: python scripts/record.py TOOL...

TOOL is the first part of a filter's id, or the whole. A file in scripts/recordings/ says how tools
of one kind are recorded: `install` are shell lines that bring them, `files` the project that they
work on, `setup` and `cleanup` shell lines before and after, and each `[[run]]` a command whose
output becomes tests/cases/compact/<case>.in, with the command and its status in <case>.cmd.
`before` of a run is a shell line whose output nobody wants, `really` what is typed in place of the
command, if that needs more than its name says. A run that `needs` a program is left alone where it
is missing. What must be kept of an output is in <case>.keep, one text per line; it is written
by hand and never changed here, but what is no longer in the output is told.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
import tomllib
from pathlib import Path
from typing import Any

from laconic.patterns import pattern

HERE = Path(__file__).parent
RECORDINGS = HERE / "recordings"
CASES = HERE.parent / "tests/cases/compact"
# Where the tools and the projects are made; in the outputs all of it is /home/dev.
ROOT = Path(tempfile.gettempdir()) / "laconic-record"
SHOWN_HOME = "/home/dev"
LIMIT_S = 900
# The addresses of package servers differ between machines and must not be recorded.
_HOSTS = pattern(
    r"\b(?:registry\.npmjs\.org|registry\.yarnpkg\.com|(?:www\.)?pypi\.org|files\.pythonhosted\.org"
    r"|repo1?\.maven(?:\.apache)?\.org|(?:static\.|index\.)?crates\.io|proxy\.golang\.org"
    r"|sum\.golang\.org|deb\.debian\.org|security\.debian\.org|rubygems\.org)\b"
)
_SERVER_OF_NAMES = pattern(r" on [\d.]+:53(?=: no such host)")
# What the recorded commands get of the environment: where things are installed, and certificates.
_KEPT = pattern(
    r"CARGO_HOME|RUSTUP_HOME|GOPATH|GOMODCACHE|JAVA_HOME|.*_CERTS?(?:_FILE)?|.*_CA_BUNDLE"
)


class Recorder:
    """The directories of one tool, and what is recorded there."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.plan: dict[str, Any] = tomllib.loads((RECORDINGS / f"{name}.toml").read_text())
        self.home = ROOT / name / "dev"
        self.tools, self.project = self.home / ".tools", self.home / self.plan.get("project", "app")
        self.environment = self._environment()

    def _environment(self) -> dict[str, str]:
        home = Path.home()
        caches = {
            "CARGO_HOME": str(home / ".cargo"),
            "RUSTUP_HOME": str(home / ".rustup"),
            "npm_config_cache": str(home / ".npm"),
            "PIP_CACHE_DIR": str(home / ".cache/pip"),
            "PIP_DISABLE_PIP_VERSION_CHECK": "1",
            "GOMODCACHE": str(home / "go/pkg/mod"),
            "GOCACHE": str(home / ".cache/go-build"),
        }
        kept = {key: value for key, value in os.environ.items() if _KEPT.fullmatch(key)}
        own = [self.tools / "venv/bin", self.tools / "node_modules/.bin", self.tools / "bin"]
        return {
            **caches,
            **kept,
            "HOME": str(self.home),
            "PATH": ":".join([*map(str, own), os.environ["PATH"]]),
            "TOOLS": str(self.tools),
            "GOBIN": str(self.tools / "bin"),
            "GOFLAGS": "-mod=mod",
            "LANG": "C.UTF-8",
            "GIT_AUTHOR_DATE": "2026-03-02T10:00:00+0000",
            "GIT_COMMITTER_DATE": "2026-03-02T10:00:00+0000",
            "GIT_CONFIG_COUNT": "3",
            "GIT_CONFIG_KEY_0": "user.name",
            "GIT_CONFIG_VALUE_0": "Dev",
            "GIT_CONFIG_KEY_1": "user.email",
            "GIT_CONFIG_VALUE_1": "dev@example.org",
            "GIT_CONFIG_KEY_2": "init.defaultBranch",
            "GIT_CONFIG_VALUE_2": "main",
            **self.plan.get("environment", {}),
        }

    def install(self) -> None:
        """Bring the tool, once: what was installed is found again."""
        lines, done = self.plan.get("install", []), self.tools / ".installed"
        if done.exists() and done.read_text() == repr(lines):
            return
        self.tools.mkdir(parents=True, exist_ok=True)
        for line in lines:
            self._prepare(line, self.tools)
        done.write_text(repr(lines))

    def lay_out(self) -> None:
        """The project, as new."""
        shutil.rmtree(self.project, ignore_errors=True)
        self.project.mkdir(parents=True)
        for name, text in self.plan.get("files", {}).items():
            path = self.project / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
            if text.startswith("#!"):
                path.chmod(0o755)
        for line in self.plan.get("setup", []):
            self._prepare(line, self.project)

    def clear_away(self) -> None:
        """Stop what was started."""
        for line in self.plan.get("cleanup", []):
            self._bash(line, self.project)

    def record(self, run: dict[str, Any], *, is_wanted: bool) -> None:
        """Run a command; its output is kept if it is wanted, and may matter to others if not."""
        path = CASES / run["case"]
        program = run.get("needs")
        if program and not shutil.which(program, path=self.environment["PATH"]):
            print(f"{run['case']}: no {program} here, so it stays as it is")
            return
        if "before" in run:
            self._prepare(run["before"], self.project)
        done = self._bash(run.get("really", run["command"]), self.project)
        if not is_wanted:
            return
        raw = self._neutral(done.stdout)
        killed_by = -done.returncode
        status = 128 + killed_by if killed_by > 0 else done.returncode  # as a shell says it
        path.parent.mkdir(parents=True, exist_ok=True)
        path.with_suffix(".in").write_bytes(raw)
        path.with_suffix(".cmd").write_text(f"{run['command']}\nstatus {status}\n")
        print(f"{run['case']}: status {status}, {len(raw)} bytes")
        keep = path.with_suffix(".keep")
        facts = keep.read_text().splitlines() if keep.exists() else []
        for fact in facts:
            if fact.encode() not in raw:
                print(f"  no longer there: {fact}")

    def _neutral(self, raw: bytes) -> bytes:
        """The output with neither this machine's directories nor its servers in it."""
        text = raw.decode("utf-8", "surrogateescape")
        for path in (self.home.resolve(), self.home, ROOT):
            text = text.replace(str(path), SHOWN_HOME).replace(str(path)[1:], SHOWN_HOME[1:])
        text = pattern(rf"(?<![\w/.-]){re.escape(str(Path.home()))}\b").sub(SHOWN_HOME, text)
        text = _SERVER_OF_NAMES.sub(" on 192.0.2.53:53", text)
        text = pattern(rf"\b{re.escape(os.uname().nodename)}\b").sub("host", text)
        return _HOSTS.sub("packages.example.org", text).encode("utf-8", "surrogateescape")

    def _prepare(self, line: str, where: Path) -> None:
        done = self._bash(line, where)
        if done.returncode:
            sys.exit(f"{self.name}: {line!r} failed:\n{done.stdout.decode(errors='replace')}")

    def _bash(self, line: str, where: Path) -> subprocess.CompletedProcess[bytes]:
        return subprocess.run(  # noqa: S603 - what the files of this directory say
            ["/bin/bash", "-c", line],
            cwd=where,
            env=self.environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            check=False,
            timeout=LIMIT_S,
        )


def plans() -> dict[str, list[str]]:
    """The cases of every file, by its name."""
    return {
        path.stem: [run["case"] for run in tomllib.loads(path.read_text())["run"]]
        for path in sorted(RECORDINGS.glob("*.toml"))
    }


def is_of(case: str, tool: str) -> bool:
    return f"{case}/".startswith(f"{tool}/")


def main(tools: list[str]) -> int:
    known = plans()
    for tool in tools:
        names = [name for name, cases in known.items() if any(is_of(c, tool) for c in cases)]
        for name in names:
            recorder = Recorder(name)
            recorder.install()
            recorder.lay_out()
            for run in recorder.plan["run"]:
                recorder.record(run, is_wanted=is_of(run["case"], tool))
            recorder.clear_away()
        if not names:
            print(
                f"no file in scripts/recordings/ has a case of {tool}: "
                f'add [[run]] with case = "{tool}/ok" and command = "...", '
                "as the text at the top of scripts/record.py says",
                file=sys.stderr,
            )
            return 1
    if not tools:
        every = sorted({case.rpartition("/")[0] for cases in known.values() for case in cases})
        print(f"say what to record, as make record TOOL=NAME: {' '.join(every)}")
    return 0 if tools else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

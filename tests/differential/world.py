"""A place to run a script in: programs whose output is known, files, and a laconic that compacts.

That laconic runs a command as the real one promises to, but keeps a long output aside and prints a
mark instead. Only the reader of the script's own output can turn a mark back into what it stands
for; so a mark that got into a file, a variable or another program is seen.
"""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from laconic.rewrite.from_config import options
from laconic.settings.load import read_settings

if TYPE_CHECKING:
    from collections.abc import Mapping

_PROGRAM = """\
#!/bin/sh
name=NAME
case "$1" in
    fail) echo "$name fails"; exit "${2:-1}";;
    err) echo "$name complains" >&2; echo "$name out";;
    in) /bin/cat;;
    env) /usr/bin/env | /bin/grep "^$2=" || echo "$name has no $2";;
    fd) if /usr/bin/test -e "/proc/$$/fd/$2"; then echo "$name on $2" >&"$2"; else echo closed; fi;;
    long) /usr/bin/seq -f "$name %g" 120; exit "${2:-0}";;
    write) echo "$name wrote" > "$2";;
    *) for word; do echo "$name: [$word]"; done; echo "$name is done";;
esac
"""
LACONIC = """\
#!/bin/sh
if [ "${1#-}" != "$1" ] && [ "${1#-*c}" != "$1" ]; then shift; set -- -x /bin/sh -c "$@"
elif [ "$1" != run ]; then echo "laconic: there is no command $1" >&2; exit 2
fi
shift
pipe= fail= both=
while :; do case "$1" in
    --baseline-pipe) pipe=$2; shift 2;;
    --pipefail) fail=1; shift;;
    --pipe-stderr) both=1; shift;;
    --filter) shift 2;;
    --raw|--prefer-less|--box) shift;;
    *) break;;
esac; done
[ -e /proc/$$/fd/1 ] || exec /usr/bin/env "$@"
/bin/mkdir -p "$HOME/.local/state/laconic" && echo run >> "$HOME/.local/state/laconic/runs"
raw=$(/bin/mktemp KEPT/XXXXXX)
if [ -z "$pipe" ]; then /usr/bin/env "$@" > "$raw"; status=$?
else
    if [ -n "$both" ]
    then /usr/bin/env "$@" > "$raw.all" 2>&1; first=$?
    else /usr/bin/env "$@" > "$raw.all"; first=$?
    fi
    /bin/sh -c "$pipe" < "$raw.all" > "$raw"; status=$?
    if [ -n "$fail" ] && [ $status = 0 ]; then status=$first; fi
fi
if [ "$(/usr/bin/wc -l < "$raw")" -gt 50 ]; then echo "<<${raw##*/}>>"; else /bin/cat "$raw"; fi
exit $status
"""
_FILES = {
    "in.txt": "one\ntwo\nthree\n",
    "a.txt": "alpha\n",
    "env.sh": "PATH=OTHER:/usr/bin:/bin\n",
    "s.sh": "echo script $0 $#\n",
    "sub/b.txt": "beta\n",
    "tool": _PROGRAM.replace("NAME", "tool"),
    "sub/Makefile": "all:\n\t@echo in sub $(MAKELEVEL); git status\nlong:\n\t@git long\n",
}
_LONG = re.compile(r"\blong\b(?!\) /usr)")  # but not where the programs look for it
_MARK = re.compile(rb"<<(\w+)>>")
_LIMIT_S = 60
_SHOWN = 400  # bytes of a text
SHELLS = {"bash": ("bash", "-c"), "zsh": ("zsh", "-f", "-c")}
# In the place of the built-in ones, which would hide some lines of a short output.
_FILTERS = {"git": "summary", "cargo": "listing", "ls": "listing", "make": "summary"}
_FILTER = 'command = ["{0}"]\nkind = "{1}"\ndrop = ["^there is no such line"]\n'
# What a shell says about the text of a script and how long it took, make about its jobs and a pipe
# that was closed before it had written everything, and laconic about the command that it ran.
_OWN_WORDS = re.compile(
    rb".*(?:not found|[Nn]o such file|unbound|parameter n|no matches|: line |% cpu .* total"
    rb"|\] Broken pipe$|Waiting for unfinished jobs|^\[laconic: ).*\n",
    re.MULTILINE,
)


class Outcome(NamedTuple):
    """What can be seen of a run."""

    status: int
    stdout: bytes
    stderr: bytes
    files: Mapping[str, bytes]

    def differences(self, other: Outcome) -> list[str]:
        kinds = ("status", "stdout", "stderr")
        pairs = {kind: (getattr(self, kind), getattr(other, kind)) for kind in kinds}
        for name in sorted({*self.files, *other.files}):
            pairs[name] = self.files.get(name), other.files.get(name)
        return [
            f"{name}: {_around(one, two)} as typed, {_around(two, one)} as rewritten"
            for name, (one, two) in pairs.items()
            if one != two
        ]


def _around(text: object, other: object) -> str:
    """The part of a text where another one begins to differ."""
    if not isinstance(text, bytes) or not isinstance(other, bytes):
        return repr(text)[:_SHOWN]
    pairs = enumerate(zip(text, other, strict=False))
    same = next((pos for pos, (one, two) in pairs if one != two), min(len(text), len(other)))
    start = max(0, same - _SHOWN // 2)
    return f"{'…' if start else ''}{text[start : start + _SHOWN]!r}"


class World:
    """The programs; laconic: a real one to take instead of the one that leaves marks."""

    def __init__(self, place: Path, laconic: Path | None = None) -> None:
        self.programs, self.other, self.kept = place / "bin", place / "other", place / "kept"
        for directory in (self.programs, self.other, self.kept, place / "home"):
            directory.mkdir()
        for name in ("git", "cargo"):
            self._write(self.programs / name, _PROGRAM.replace("NAME", name))
            self._write(self.other / name, _PROGRAM.replace("NAME", f"'other {name}'"))
        self.laconic = self.programs / "laconic"
        if laconic is None:
            self._write(self.laconic, LACONIC.replace("KEPT", str(self.kept)))
        else:
            self.laconic.symlink_to(laconic)
        self.is_real = laconic is not None
        self._place = place
        filters = place / "home/.config/laconic/filters"
        filters.mkdir(parents=True)
        for name, kind in _FILTERS.items():
            (filters / f"{name}.toml").write_text(_FILTER.format(name, kind))
        self.options = options(read_settings(self._environment(), place))
        self.options.full_path = str(self.laconic)

    def _write(self, path: Path, text: str) -> None:
        path.write_text(text)
        path.chmod(0o755)

    def run(self, shell: str, script: str, files: Mapping[str, str] | None = None) -> Outcome:
        """Run a script in a new directory; OTHER in it stands for that of the other programs.

        With a real laconic outputs are short: how they are compacted is another test's concern.
        """
        files = {**_FILES, **(files or {})}
        if self.is_real:
            script, *texts = (_LONG.sub("short", text) for text in (script, *files.values()))
            files = dict(zip(files, texts, strict=True))
        # Always the same name, which the script may print.
        with tempfile.TemporaryDirectory(dir=self._place) as parent:
            directory = Path(parent, "cwd")
            for name, text in files.items():
                (directory / name).parent.mkdir(parents=True, exist_ok=True)
                self._write(directory / name, text.replace("OTHER", str(self.other)))
            found = self._outcome(shell, script.replace("OTHER", str(self.other)), directory)
        name = re.compile(re.escape(parent.encode()), re.IGNORECASE)  # a script may use tr
        made = {path: name.sub(b"", text) for path, text in found.files.items()}
        stdout, stderr = (name.sub(b"", text) for text in (found.stdout, found.stderr))
        return Outcome(found.status, stdout, stderr, made)

    def _outcome(self, shell: str, script: str, directory: Path) -> Outcome:
        process = subprocess.Popen(
            [*SHELLS[shell], script],
            cwd=directory, env=self._environment(), start_new_session=True,
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        )  # fmt: skip
        try:
            printed = process.communicate(timeout=_LIMIT_S)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            printed = process.communicate()
        files = {
            str(path.relative_to(directory)): path.read_bytes()
            for path in sorted(directory.rglob("*"))
            if path.is_file()
        }
        stdout, stderr = (_OWN_WORDS.sub(b"", _MARK.sub(self._unmarked, text)) for text in printed)
        status = process.returncode
        # laconic wrap tells as a shell does that a signal ended the command
        return Outcome(status if status >= 0 else 128 - status, stdout, stderr, files)

    def _environment(self) -> dict[str, str]:
        path = f"{self.programs}{os.pathsep}/usr/bin{os.pathsep}/bin"
        names = {"PATH": path, "HOME": str(self._place / "home"), "LC_ALL": "C"}
        # How long it took, as bash and the program /usr/bin/time tell it, which zsh runs at times.
        names |= {"TIMEFORMAT": "", "TIME": ""}
        if self.is_real:
            names |= {"LACONIC_NO_SERVER": "1", "PYTHONSAFEPATH": "1"}
        return names

    def _unmarked(self, mark: re.Match[bytes]) -> bytes:
        return (self.kept / mark[1].decode()).read_bytes().removesuffix(b"\n")


def new_world(laconic: Path | None = None) -> World:
    """A world in a directory of its own, for a program that ends soon."""
    import atexit

    place = Path(tempfile.mkdtemp(prefix="differential-"))
    atexit.register(shutil.rmtree, place, ignore_errors=True)
    return World(place, laconic)


def installed_laconic() -> Path:
    return Path(sys.executable).with_name("laconic")

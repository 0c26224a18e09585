"""`python -m box.suites [NAME...]`: run the tests of real packages outside and in the box.

tests/cases/box/suites.toml says how each is fetched and tested. The exit status and the numbers of
tests that passed, failed and were left out must be the same. Sources stay in build/box-suites, or
in the directory that BOX_SUITES names.
"""

from __future__ import annotations

import collections
import os
import re
import subprocess
import sys
import time
import tomllib
from pathlib import Path

from .installation import ROOT, missing

CASES = Path(__file__).parents[1] / "cases/box/suites.toml"
PLACE = Path(os.environ.get("BOX_SUITES") or ROOT / "build/box-suites")
_FETCH_S, _TEST_S = 900, 900
# What the lines of `fetch` can use.
_VERBS = r"""
set -e
VENV() { python3 -m venv venv && venv/bin/pip install -q "$@"; }
SDIST() {
    pip download -q --no-deps --no-binary :all: --no-build-isolation -d . "$1" 2> /dev/null ||
        pip download -q --no-deps --no-binary :all: -d . "$1"
    tar --no-same-owner -xzf ./*.tar.gz --strip-components 1
}
SOURCE() {
    mkdir want && (cd want && cargo init -q --name want && cargo add -q "$1" && cargo fetch -q)
    cp -r "$(ls -td "${CARGO_HOME:-$HOME/.cargo}"/registry/src/*/"$1"-[0-9]* | head -n 1)"/. .
    rm -rf want
}
CRATE() { SOURCE "$1"; cargo fetch -q; cargo test -q --no-run 2> /dev/null; }
MODULE() {
    mkdir want
    (cd want && go mod init want > /dev/null 2>&1 && go mod download -json "$1@latest" > ../found)
    cp -r "$(sed -n 's/.*"Dir": "\(.*\)".*/\1/p' found)"/. . && chmod -R u+w . && rm -rf want
    go mod download 2> /dev/null || true # it fails where there is nothing to download
    go test -count=1 -run xxx ./... > /dev/null
}
DEBIAN() { # the sources of a package, with lists of its own, so that nothing of the system changes
    mkdir -p apt/lists/partial apt/from
    sed 's/^Types:.*/Types: deb-src/' /etc/apt/sources.list.d/debian.sources > apt/from/own.sources
    apt() {
        apt-get -qq -o Dir::Etc::SourceList=/dev/null -o Dir::Etc::SourceParts="$PWD/apt/from" \
            -o Dir::State::Lists="$PWD/apt/lists" -o Dir::Cache="$PWD/apt" \
            -o APT::Sandbox::User= "$@"
    }
    apt update && apt --download-only source "$1" > /dev/null
    tar --no-same-owner -xzf ./*.orig.tar.gz --strip-components 1 && rm -rf apt
}
PACKED() { npm pack -s "$1" > /dev/null && tar --no-same-owner -xzf ./*.tgz --strip-components 1; }
"""

Counts = collections.Counter[str]


def _matches(pattern: str, *names: str) -> collections.abc.Callable[[str], Counts]:
    """Count by a pattern whose groups are numbers, with these names; all matches are added."""

    def count(output: str) -> Counts:
        found: Counts = collections.Counter()
        for match in re.finditer(pattern, output, re.MULTILINE):
            found.update(dict(zip(names, map(int, match.groups()), strict=True)))
        return found

    return count


def _words(pattern: str) -> collections.abc.Callable[[str], Counts]:
    """Count how often each word is found that a pattern has as its group."""
    return lambda output: collections.Counter(re.findall(pattern, output, re.MULTILINE))


def _pytest(output: str) -> Counts:
    last = output.strip().splitlines()[-1] if output.strip() else ""
    words = re.findall(r"(\d+) (passed|failed|errors?|skipped|xfailed|xpassed)", last)
    return collections.Counter({word: int(number) for number, word in words})


KINDS = {
    "pytest": _pytest,
    "cargo": _matches(
        r"^test result: \w+\. (\d+) passed; (\d+) failed; (\d+) ignored",
        "passed", "failed", "ignored",
    ),
    "go": _words(r"^\s*--- (PASS|FAIL|SKIP)"),
    "tap": _words(r"^(ok|not ok) "),
    "maven": _matches(
        r"^\[\w+\] Tests run: (\d+), Failures: (\d+), Errors: (\d+), Skipped: (\d+)$",
        "run", "failures", "errors", "skipped",
    ),
    "ctest": _words(
        r"^ *\d+/\d+ Test +#\d+: \S+ \.*(?: +|\*{3})(Passed|Failed|Skipped|Not Run|Timeout)"
    ),
    "check": _words(r"^(PASS|FAIL|SKIP|ERROR): "),
}  # fmt: skip


def fetch(name: str, lines: str) -> str:
    """Get a package, unless it is there; say what is in the way, or nothing."""
    place = PLACE / name
    if (place / ".fetched").exists():
        return ""
    subprocess.run(["rm", "-rf", place], check=True)
    place.mkdir(parents=True)
    done = _run(["bash", "-c", f"{_VERBS}\n{lines}"], place, _FETCH_S)
    if done.returncode:
        return done.stdout.strip()[-300:] or f"fetching ended with {done.returncode}"
    subprocess.run(["git", "init", "-q", place], check=True)
    (place / ".fetched").touch()
    return ""


def test(name: str, line: str, kind: str, box: list[str]) -> tuple[int, Counts, str]:
    """Run the tests of a package; the exit status, the counts, and what was printed."""
    done = _run([*box, "bash", "-c", line], PLACE / name, _TEST_S)
    return done.returncode, KINDS[kind](done.stdout), done.stdout


def _run(words: list[str], place: Path, limit_s: float) -> subprocess.CompletedProcess[str]:
    variables = {k: v for k, v in os.environ.items() if not k.startswith(("VIRTUAL_ENV", "PYTHON"))}
    try:
        return subprocess.run(
            words, cwd=place, env=variables, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT, text=True, errors="replace", timeout=limit_s, check=False,
        )  # fmt: skip
    except subprocess.TimeoutExpired as error:
        return subprocess.CompletedProcess(words, 124, f"{error.output!r}", "")


def main(names: list[str]) -> int:
    if lacking := missing():
        print(lacking, file=sys.stderr)
        return 1
    suites = tomllib.loads(CASES.read_text())
    box = [sys.executable, "-I", "-m", "laconic", "box", "--raw"]
    same = different = 0
    for name in names or suites:
        suite = suites[name]
        if complaint := fetch(name, suite["fetch"]):
            print(f"{name:18} not fetched: {complaint}", flush=True)
            continue
        began = time.monotonic()
        outside = test(name, suite["test"], suite["kind"], [])
        between = time.monotonic()
        inside = test(name, suite["test"], suite["kind"], box)
        times = f"{between - began:.1f} s, in the box {time.monotonic() - between:.1f} s"
        told = ", ".join(f"{number} {word}" for word, number in sorted(outside[1].items()))
        if not outside[1]:
            print(f"{name:18} not counted: no test ran outside, either", flush=True)
        elif outside[:2] == inside[:2]:
            same += 1
            print(f"{name:18} same: {told}, status {outside[0]} ({times})", flush=True)
        else:
            different += 1
            print(f"{name:18} DIFFERENT: {told}, status {outside[0]}; in the box {inside[1]}, "
                  f"status {inside[0]}", flush=True)  # fmt: skip
            (PLACE / f"{name}.outside").write_text(outside[2])
            (PLACE / f"{name}.inside").write_text(inside[2])
    print(f"{same} suites give the same result in the box, {different} another one")
    return 1 if different or not same else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

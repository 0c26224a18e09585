"""Makes checkouts with the files that a project of a kind has, so that a gate looks at real ones.

Recorded commands name the home of whoever typed them. It is made anew below build/, and its name
is put in place of the recorded one. What the recorded projects held is not known: their kinds, and
the programs that are run in them, say which files they have, and the commands which directories.
"""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING, Any

from laconic.patterns import pattern
from laconic.reading.facts import read_facts

if TYPE_CHECKING:
    from laconic.reading.places import Facts

Row = dict[str, Any]
HOME = Path(__file__).resolve().parent.parent / "build/prompts/home"
ALL = "ts python go rust flutter docker c++ java ruby terraform"
SCRIPTS = dict.fromkeys("build dev format lint preview start test typecheck".split(), "node x.js")
PACKAGE = json.dumps({"name": "app", "version": "1.0.0", "scripts": SCRIPTS})
BIN = (
    "astro commitlint concurrently cypress esbuild eslint expo jest lint-staged markdownlint-cli2 "
    "mocha next nodemon playwright prettier prisma rimraf rollup storybook stylelint tailwindcss "
    "ts-node tsc tsx turbo vite vitest vue-tsc webpack"
)
JAVASCRIPT = {
    "package.json": PACKAGE, "package-lock.json": "{}", "tsconfig.json": "{}",
    ".prettierrc": "{}", "eslint.config.js": "", "src/index.ts": "",
    **{f"node_modules/.bin/{name}": "" for name in BIN.split()},
}  # fmt: skip
PYTHON = {
    "pyproject.toml": '[project]\nname = "app"\nversion = "1"\n', "requirements.txt": "",
    "app/__init__.py": "", "scripts/run.py": "", "tests/conftest.py": "", "tests/test_app.py": "",
    **{f".venv/bin/{name}": "" for name in ("python", "python3", "pip", "pytest", "ruff")},
}  # fmt: skip
JAVA = {"pom.xml": "<project/>", "build.gradle": "", "gradlew": "", "src/main/java/App.java": ""}
# What the kind of a project says, by a word in it.
FILES = {
    "ts": JAVASCRIPT, "web": JAVASCRIPT, "node": JAVASCRIPT,
    "python": PYTHON, "fastapi": PYTHON, "django": PYTHON, "data": PYTHON, "ros": PYTHON,
    "go": {"go.mod": "module example.org/app\n", "go.sum": "", "main.go": "package main\n"},
    "rust": {"Cargo.toml": '[package]\nname = "app"\n', "Cargo.lock": "", "src/lib.rs": ""},
    "flutter": {"pubspec.yaml": "name: app\n", "lib/main.dart": "", "test/app_test.dart": ""},
    "mobile": {"pubspec.yaml": "name: app\n", "lib/main.dart": "", "test/app_test.dart": ""},
    "docker": {"Dockerfile": "FROM scratch\n", "compose.yml": "services: {}\n"},
    "c++": {"CMakeLists.txt": "", "Makefile": "all:\n", "src/main.cpp": ""},
    "java": JAVA,
    "ruby": {"Gemfile": "", "Gemfile.lock": "", "lib/app.rb": ""},
    "terraform": {"main.tf": ""}, "infra": {"main.tf": "", ".gitlab-ci.yml": ""},
}  # fmt: skip
# What a program says that is run there.
RUN = {
    "npm": "node", "npx": "node", "pnpm": "node", "yarn": "node", "flutter": "flutter",
    "dart": "flutter", "go": "go", "cargo": "rust", "pytest": "python", "uv": "python",
    "mvn": "java", "terraform": "terraform",
}  # fmt: skip
EVERY = {
    "README.md": "# app\n",
    ".gitignore": "node_modules/\n.venv/\nbuild/\ndist/\n__pycache__/\n*.pyc\n",
    ".github/workflows/ci.yml": "on: push\n",
}
GIT = ("git", "-c", "user.name=a", "-c", "user.email=a@localhost", "-c", "init.defaultBranch=main")
_CD = pattern(r"\bcd +([\"']?)(/[\w./-]+)\1")


def make(rows: list[Row], home: str, cwd: str) -> list[Row]:
    """Make the checkouts of all rows; return the rows with the home that there is now.

    cwd: where the rows were typed that do not say it.
    """
    if str(HOME).startswith(("/tmp/", "/var/tmp/")):  # noqa: S108 - nothing is made there
        message = f"{HOME}: everything in a home below /tmp counts as temporary; move the checkout"
        raise SystemExit(message)
    shutil.rmtree(HOME, ignore_errors=True)
    placed = [_placed(row, home, cwd) for row in rows]
    kinds: dict[str, str] = {}
    for row in placed:
        first = row["command"].split(maxsplit=1)[:1]
        kinds.setdefault(row["cwd"], str(row.get("project", ALL)))
        kinds[row["cwd"]] += " " + "".join(RUN.get(word, "") for word in first)
    roots = [
        one for one in kinds if not any(other in Path(one).parents for other in map(Path, kinds))
    ]
    for directory, kind in kinds.items():
        _fill(Path(directory), kind)
    for row in placed:
        for _, path in _CD.findall(row["command"]):
            if ".." not in path and any(f"{path}/".startswith(f"{root}/") for root in roots):
                Path(path).mkdir(parents=True, exist_ok=True)
    for root in roots:
        for arguments in (("init", "-q"), ("add", "-A"), ("commit", "-q", "-m", "all")):
            subprocess.run((*GIT, *arguments), cwd=root, check=True)  # noqa: S603 - our own words
    return placed


def facts_of(row: Row) -> Facts:
    return read_facts(row["cwd"], {"HOME": str(HOME)})


def _placed(row: Row, home: str, cwd: str) -> Row:
    named = pattern(rf"{re.escape(home)}(?![\w.-])")
    return {
        **row,
        "command": named.sub(str(HOME), row["command"]),
        "cwd": named.sub(str(HOME), row.get("cwd", cwd)),
    }


def _fill(directory: Path, kind: str) -> None:
    words = dict.fromkeys(re.findall(r"[a-z+]+", kind.lower()))
    for files in (EVERY, *(FILES[word] for word in words if word in FILES)):
        for name, text in files.items():
            path = directory / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, "utf-8")
            path.chmod(0o755 if "/bin/" in name or name == "gradlew" else 0o644)

"""Names that a line reads from files which are here now, and names that a `*` means."""

from __future__ import annotations

from zipfile import ZipFile

import pytest

from laconic.knowledge.catalog import library
from laconic.policy.rules import Rules
from laconic.reading.decide import decide
from laconic.reading.facts import read_facts
from laconic.reading.places import Facts
from laconic.types import Decision, Effect, Verdict

FILES = {
    "/project/list": "a.py\n.env\n",
    "/project/long": "".join(f"src/f{n}.py\n" for n in range(90)) + ".env\n",
    "/project/coded": "LmVudgo=\n",
    "/project/outside": "/home/user/x\n",
    "/project/plain": "a.py\nb.py\n",
    "/project/sub/there": ".env\n",
    "/project/.env": "TOKEN=rm\n",
}
HOLDING = {"/project": ["a.py", ".env", "list"]}


def decided(command: str, names: dict[str, list[str]] | None = None) -> Decision:
    known = names or {}
    facts = Facts(text=FILES.get, exists=FILES.__contains__, names=lambda path: known.get(path, []))
    return decide(command, library(), Rules(), facts)


@pytest.mark.parametrize(
    "command",
    [
        "xargs cat < list", "xargs -a list cat", "xargs -I{} cat {} < list", "cat list | xargs cat",
        "sort list | head -3 | xargs cat", "grep -v '^#' list | xargs -n1 cat", "cat $(cat list)",
        "cat $(< list)", "cat `cat list`", 'read -r f < list; cat "$f"', "xargs cat < long",
        'while read -r f; do cat "$f"; done < list', 'while read f; do cat "$f"; done < long',
        'cat list | while read f; do cat "$f"; done', "for f in $(cat list); do cat $f; done",
        'mapfile -t a < list; cat "${a[1]}"', 'mapfile -t a < list; cat "${a[@]}"',
        'readarray -t a < <(cat list); for f in "${a[@]}"; do cat "$f"; done',
        "base64 -d coded | xargs cat", "cat $(base64 -d < coded)", "x=$(cat list); cat $x",
        "cd sub && cat $(cat there)", 'IFS=, read -ra a < list; cat "${a[0]}"',
        "xargs sh -c 'cat \"$@\"' _ < list", "f() { cat $(cat $1); }; f list",
    ],
)  # fmt: skip
def test_a_secret_that_a_file_names_is_seen(command: str) -> None:
    assert decided(command).effects & Effect.SECRETS


@pytest.mark.parametrize(
    "command",
    [
        "xargs cat < plain", "cat $(cat plain)", 'read -r f < plain; cat "$f"',
        'while read -r f; do cat "$f"; done < plain', "xargs wc -l < plain",
        'mapfile -t a < plain; wc -l "${a[@]}"', "cat $(cat none)",
    ],
)  # fmt: skip
def test_other_names_are_free(command: str) -> None:
    assert decided(command).verdict is Verdict.ALLOW


def test_a_place_outside_that_a_file_names_is_seen() -> None:
    for command in ("xargs touch < outside", "touch $(cat outside)", "rm $(< outside)"):
        assert decided(command).effects & Effect.OUTSIDE_WRITE, command
    assert not decided("xargs touch < plain").effects & Effect.OUTSIDE_WRITE


def test_what_is_in_a_secret_is_not_read_for_names() -> None:
    """A reason shows names; those that a file of secrets gives would be secrets themselves."""
    assert all("TOKEN" not in leaf.reason for leaf in decided("touch $(cat .env)").leaves())


@pytest.mark.parametrize(
    "setting",
    ["shopt -s dotglob; ", "shopt -s nullglob dotglob\n", "setopt globdots; ", "setopt GLOB_DOTS\n",
     "setopt dot_glob; ", "GLOBIGNORE=x; ", "set -o globdots; "],
)  # fmt: skip
def test_a_star_means_hidden_names_where_that_is_set(setting: str) -> None:
    for command in ("cat *", "head -n 3 *", "cat ./*", "eval 'cat *'", "f() { cat *; }; f"):
        assert decided(setting + command, HOLDING).effects & Effect.SECRETS, command
        assert not decided(command, HOLDING).effects & Effect.SECRETS, command
    assert decided("bash -O dotglob -c 'cat *'", HOLDING).effects & Effect.SECRETS
    assert not decided(setting + "ls *", HOLDING).effects & Effect.SECRETS


@pytest.mark.parametrize(
    "command",
    [
        "git status -s | awk '{print $2}' | xargs cat", "cat $(git status --porcelain | cut -c4-)",
        "find . -exec sh -c 'cat \"$1\"' _ {} \\;", "find . -type f | xargs sh -c 'cat \"$@\"' _",
    ],
)  # fmt: skip
def test_a_list_of_files_that_holds_a_secret_and_is_read(command: str) -> None:
    assert decided(command, HOLDING).effects & Effect.SECRETS
    assert not decided(command, {"/project": ["a.py"]}).effects & Effect.SECRETS


@pytest.mark.parametrize(
    ("code", "is_secret"),
    [
        ("print(open(open('named').read().strip()).read())", True),
        ("import json; print(open(json.load(open('n.json'))['f']).read())", True),
        (
            "from pathlib import Path as P; print(P(P('named').read_text().strip()).read_text())",
            True,
        ),
        ("import os; os.system('cat ' + open('named').read().strip())", True),
        ("print(open(open('other').read().strip()).read())", False),
    ],
)
def test_python_opens_what_a_file_names(code, is_secret):
    texts = {"named": ".env\n", "other": "a.py\n", "n.json": '{"f": ".env"}'}
    facts = Facts(text=lambda path: texts.get(path.removeprefix("/project/")))
    decision = decide(f'python3 -c "{code}"', library(), Rules(), facts)
    assert (Effect.SECRETS in decision.effects) == is_secret


@pytest.mark.parametrize(("member", "is_secret"), [("sub/.env", True), ("a.txt", False)])
def test_what_a_small_archive_has_is_known(project, member, is_secret):
    with ZipFile(project / "a.zip", "w") as archive:
        archive.writestr(member, "x" * 500)
    facts = read_facts(str(project), {"HOME": "/home/user", "PATH": "/usr/bin:/bin"})
    decision = decide("unzip -p a.zip", library(), Rules(), facts)
    assert (Effect.SECRETS in decision.effects) is is_secret

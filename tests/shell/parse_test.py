"""Trees of commands, and the message for each rejected text, as the case files show them."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import pytest

from laconic.shell import ParseError, parse
from tree import render

CASES = Path(__file__).parents[1] / "cases" / "parse"


class Case(NamedTuple):
    path: Path
    name: str
    source: str
    expected: str

    def __str__(self) -> str:
        return f"=== {self.name}\n{self.source}\n---\n{self.expected}"


def read_cases(path: Path) -> list[Case]:
    """`=== name`, the source (its last newline is not read), `---`, the tree or the error."""
    blocks = path.read_bytes().decode().removeprefix("=== ").split("\n=== ")
    cases = []
    for block in blocks:
        name, _, rest = block.partition("\n")
        source, _, expected = rest.partition("\n---\n")
        cases.append(Case(path, name, source, expected.removesuffix("\n") + "\n"))
    return cases


def outcome(source: bytes | str) -> str:
    try:
        return render(parse(source))
    except ParseError as error:
        return f"error {error.offset}: {error.message}\n"


ALL = [case for path in sorted(CASES.glob("*.case")) for case in read_cases(path)]


@pytest.fixture
def update_cases(request: pytest.FixtureRequest) -> bool:
    return bool(request.config.getoption("--update-cases"))


@pytest.mark.parametrize("case", ALL, ids=lambda case: f"{case.path.stem}: {case.name}")
def test_text_is_read_as_the_case_shows(case: Case, update_cases: bool) -> None:
    found = outcome(case.source)
    if update_cases and found != case.expected:
        cases = [
            one._replace(expected=found) if one == case else one for one in read_cases(case.path)
        ]
        case.path.write_bytes("".join(map(str, cases)).encode())
        return
    assert found == case.expected


def test_only_the_file_of_rejections_holds_rejections() -> None:
    rejected = {case.path.stem for case in ALL if case.expected.startswith("error ")}
    accepted = {case.path.stem for case in ALL if not case.expected.startswith("error ")}
    assert rejected == {"rejected"}
    assert "rejected" not in accepted


def test_names_of_cases_are_unique() -> None:
    names = [(case.path, case.name) for case in ALL]
    assert len(names) == len(set(names))


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("a \0 b", "error 2: NUL byte\n"),
        (b"a \xff b", "error 2: not valid UTF-8\n"),
        (b"\xc3\xa9 \xc3", "error 3: not valid UTF-8\n"),
    ],
)
def test_bytes_that_no_command_holds_are_rejected(source: bytes | str, expected: str) -> None:
    assert outcome(source) == expected

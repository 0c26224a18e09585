"""What words say, against what bash makes of them."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from laconic.shell import ParseError, parse
from laconic.shell.ast import Assignment, Command, Word
from laconic.shell.escapes import ansi_c
from laconic.shell.walk import commands
from laconic.shell.words import assigned, fields, is_static, leading, literal, text

CASES = Path(__file__).parents[1] / "cases" / "words"
ENVIRONMENT = {"PATH": "/usr/bin:/bin", "HOME": "/home/h", "LC_ALL": "C.UTF-8", "x": "1 2", "y": ""}
OVER_LINES = ["'a\nb'", '"a\nb"', '"a\\\nb"', "a\\\nb", "$'a\nb'", "\\\na"]
END = "\x1e"
SHOW = f"""show() {{ for one; do printf '%s\\0' "$one"; done; printf '{END}\\0'; }}\n"""


def read_words(file: str) -> list[str]:
    """One word per line, below a line that says what they have in common."""
    return (CASES / file).read_text().splitlines()[1:]


def in_bash(words: list[str], directory: Path) -> list[list[str]]:
    """The arguments that each word becomes in bash: one process, in an empty directory."""
    done = subprocess.run(
        ["bash", "--norc", "--noprofile", "-s"],
        input=(SHOW + "".join(f"show {word}\n" for word in words)).encode(),
        capture_output=True,
        check=True,
        cwd=directory,
        env=ENVIRONMENT,
    )
    assert not done.stderr
    shown = done.stdout.decode("utf-8", "surrogateescape")
    found = [group.split("\0")[:-1] for group in shown.split(f"{END}\0")[:-1]]
    assert len(found) == len(words)
    return found


def command_of(source: str) -> Command:
    return commands(parse(source))[0].command


def word_of(source: str) -> Word | Assignment:
    words = command_of(f"show {source}").words
    assert len(words) == 2
    return words[1]


def values(source: str) -> list[str] | None:
    found = fields(word_of(source))
    return None if found is None else [field.text for field in found]


def differences(words: list[str], directory: Path) -> dict[str, tuple[object, list[str]]]:
    """Words that we know and bash knows better: word -> (ours, bash's)."""
    truth = dict(zip(words, in_bash(words, directory), strict=True))
    ours = {word: values(word) for word in words}
    return {
        word: (value, truth[word])
        for word, value in ours.items()
        if value is not None and value != truth[word]
    }


@pytest.mark.parametrize("file", ["quotes.txt", "braces.txt"])
def test_known_words_say_what_bash_makes_of_them(file: str, tmp_path: Path) -> None:
    words = read_words(file)
    assert not differences(words, tmp_path)
    assert [word for word in words if not is_static(word_of(word))] == []


def test_words_over_lines_say_what_bash_makes_of_them(tmp_path: Path) -> None:
    assert not differences(OVER_LINES, tmp_path)
    assert all(is_static(word_of(word)) for word in OVER_LINES)


def test_a_word_is_literal_when_it_becomes_one_known_argument(tmp_path: Path) -> None:
    words = [*read_words("quotes.txt"), *read_words("braces.txt")]
    for word, truth in zip(words, in_bash(words, tmp_path), strict=True):
        assert (word, literal(word_of(word))) == (word, truth[0] if len(truth) == 1 else None)


def test_a_word_that_an_expansion_decides_is_not_known() -> None:
    words = read_words("unknown.txt")
    assert [word for word in words if fields(word_of(word)) is not None] == []
    assert [word for word in words if literal(word_of(word)) is not None] == []


def test_a_word_that_files_or_homes_decide_is_not_static() -> None:
    words = read_words("files.txt")
    assert [word for word in words if is_static(word_of(word))] == []
    assert [word for word in words if literal(word_of(word)) is not None] == []


def test_every_word_begins_with_its_leading_text(tmp_path: Path) -> None:
    files = ["quotes.txt", "braces.txt", "unknown.txt", "files.txt"]
    words = [word for file in files for word in read_words(file)]
    for word, truth in zip(words, in_bash(words, tmp_path), strict=True):
        known = leading(word_of(word))
        assert (word, [one for one in truth[:1] if not one.startswith(known)]) == (word, [])


@pytest.mark.parametrize(
    ("word", "known"),
    [
        ("a$x", "a"),
        ("--opt=$x", "--opt="),
        ("'a b'$x", "a b"),
        ('"a b $x"', "a b "),
        ('a"b$x"', "ab"),
        ("a\\ b*", "a b"),
        ("$x", ""),
        ("~/a", ""),
        ("a~", "a~"),
        ("{a,b}", ""),
        ("a{b,c}", "a"),
        ("-v{b,c}", "-v"),
        ("plain", "plain"),
        ("'é'$x", "é"),
        ("$'\\x41'$x", "A"),
        ("/tmp/`ls`", "/tmp/"),
        ("a[0]", "a"),
    ],
)
def test_leading_text_is_as_long_as_it_is_certain(word: str, known: str) -> None:
    assert leading(word_of(word)) == known


# -- assignments ---------------------------------------------------------------------------------

VALUES = ["plain", "'a b'", '"a b"', "", "{a,b}", "*", "a\\ b", "$'\\n'", "a=b", "x{1..3}", "é"]


def test_assignments_give_the_value_that_bash_gives(tmp_path: Path) -> None:
    truth = in_bash([f'"$(v={value}; echo "$v.")"' for value in VALUES], tmp_path)
    for value, (shown,) in zip(VALUES, truth, strict=True):
        (assignment,) = command_of(f"v={value}").assignments
        assert (value, f"{assigned(assignment)}.") == (value, shown)


@pytest.mark.parametrize(
    "value", ["$x", "~", "~/a", "a:~", "$(x)", '"$x"', "(a b)", "`x`", "$((1))"]
)
def test_the_value_of_an_assignment_may_be_unknown(value: str) -> None:
    (assignment,) = command_of(f"v={value}").assignments
    assert assigned(assignment) is None


@pytest.mark.parametrize("source", ["a=1", "a+=1", "a[0]=1", "a[i+1]+=1", "a='1 2'"])
def test_an_assignment_as_an_argument_is_a_known_word(source: str, tmp_path: Path) -> None:
    word = command_of(f"declare {source}").words[1]
    assert isinstance(word, Assignment)
    (truth,) = in_bash([source], tmp_path)
    assert [literal(word)] == truth


# -- escapes -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "inside", ["\\cA", "\\x{41}", "\\xg", "\\z", "\\0", "\\x00", "\\u0", "\\ud800", "\\U110000"]
)
def test_an_uncertain_escape_is_not_known(inside: str) -> None:
    assert ansi_c(inside) is None
    assert fields(word_of(f"$'{inside}'")) is None


@pytest.mark.parametrize("text_b", [b"plain", "é".encode(), b"\xff", b"a\xc3"])
def test_text_of_bytes_is_readable_and_reversible(text_b: bytes) -> None:
    shown = text(text_b.decode("latin-1"))
    assert shown.encode("utf-8", "surrogateescape") == text_b


# -- made words ----------------------------------------------------------------------------------

BRACES = "{ } , { } , .. a b c 1 3 05 -1 '' \"{\" \\, \\} é".split()
brace_words = st.lists(st.sampled_from([*BRACES, "'x y'"]), min_size=1, max_size=12)
escapes = st.sampled_from(["\\n", "\\'", "\\\\", "\\x4", "\\1", "\\60", "\\u00e9", "\\e", "\\U41"])
escape_words = st.lists(escapes | st.sampled_from(list('a1$`"{}~ é')), max_size=8)
QUOTES = """ ' " a b \\ $ '' "" \\" \\' "c" $' * ~ """.split()
quote_words = st.lists(st.sampled_from([*QUOTES, " ", "\\ ", "'a b'"]), min_size=1, max_size=10)
made = settings(
    derandomize=True,
    deadline=None,
    max_examples=8,
    phases=[Phase.generate],  # each example is a batch, and names the words that differ
    suppress_health_check=list(HealthCheck),
)


@made
@given(st.lists(brace_words.map("".join), min_size=150, max_size=250, unique=True))
def test_made_brace_words_become_what_bash_makes_of_them(tmp_path: Path, words: list[str]) -> None:
    assert not differences(words, tmp_path)
    known = [word for word in words if values(word) is not None]
    assert len(known) > 0.9 * len(words)


@made
@given(st.lists(quote_words.map("".join), min_size=150, max_size=250, unique=True))
def test_made_quotes_become_what_bash_makes_of_them(tmp_path: Path, words: list[str]) -> None:
    accepted = [word for word in words if is_one_word(word)]
    assert len(accepted) > 0.2 * len(words)
    assert not differences([word for word in accepted if is_static(word_of(word))], tmp_path)


def is_one_word(source: str) -> bool:
    try:
        return len(command_of(f"show {source}").words) == 2
    except ParseError:
        return False


@made
@given(st.lists(escape_words.map("".join), min_size=150, max_size=250, unique=True))
def test_made_escapes_become_what_bash_makes_of_them(tmp_path: Path, insides: list[str]) -> None:
    words = [f"$'{inside}'" for inside in insides]
    assert not differences(words, tmp_path)
    assert sum(is_static(word_of(word)) for word in words) > 0.9 * len(words)

"""laconic filters: what people ask about filters, and a new one from a real output."""

from __future__ import annotations

from pathlib import Path

import pytest

from laconic.cli.main import run
from laconic.compact.load import DATA
from laconic.record.runs import Run, record_run
from laconic.record.store import Store
from laconic.settings import toml
from laconic.settings.load import read_directories

GIT_LOG = """# mine
command = ["git log"]
kind = "listing"
drop = ["^noise"]
"""
EXAMPLE = '''
[[example]]
command = "git log"
status = {status}
input = """
noise
a \\\\ b
"""
output = """
{output}
"""
'''


@pytest.fixture
def laconic(capfd):
    def call(*argv: str) -> tuple[int, str, str]:
        status = run(["filters", *argv])
        return status, *capfd.readouterr()

    return call


@pytest.fixture
def mine(home) -> Path:
    """The file of a filter of the user's own, not written yet."""
    path = home / ".config/laconic/filters/x.toml"
    path.parent.mkdir(parents=True)
    return path


@pytest.fixture
def output(tmp_path) -> str:
    path = tmp_path / "out.txt"
    path.write_text("x\n")
    return str(path)


def test_list_and_show(laconic):
    status, out, _ = laconic("list")
    assert status == 0
    assert "cargo/test" in out
    assert laconic("show", "cargo/test")[1] == (DATA / "cargo/test.toml").read_text()
    assert laconic("show", "cargo/tset") == (
        1, "", "laconic: there is no filter 'cargo/tset'\nhint: did you mean: cargo/test\n",
    )  # fmt: skip


# -- which ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("command", "status", "answer"),
    [
        ("git -C x log -3", 0, "git/log  (built-in), for: git log"),
        ("python3 -m pytest -q", 0, "pytest  (built-in), for: python -m pytest"),
        ("git log -p", 0, "git/log  (built-in), for: git log"),
        ("git show HEAD:x", 1, "none: HEAD:x passes git/show by; its output is shown as it is"),
        ("git diff x.lock", 1, "none: x.lock passes git/diff by; its output is shown as it is"),
        ("git log -3 --format=%h", 1, "none: --format=%h asks for exact output"),
        ("kubectl get pods -o json", 1, "none: -o json asks for exact output"),
        ("cat x", 1, "none: it reads something out; its output is shown as it is"),
        ("wc -l a b", 1, "none: it reads something out; its output is shown as it is"),
        ("python3 -m pip freeze", 1, "none: it reads something out; its output is shown as it is"),
        ("./build.sh", 1, "none: no filter; only a large output is compacted"),
    ],
)
def test_which(command, status, answer, laconic):
    assert laconic("which", command) == (status, f"{answer}\n", "")


def test_which_answers_for_each_command_of_a_line(laconic):
    status, out, _ = laconic("which", "cd x && pytest -q | tail -5")
    assert status == 0
    assert out.splitlines() == [
        "cd x: none: no filter; only a large output is compacted",
        "pytest -q: pytest  (built-in), for: pytest",
        "tail -5: none: it reads something out; its output is shown as it is",
    ]


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (["git", "log"], "hint: put it in quotes: laconic filters which 'git log'"),
        (["a ("], "laconic: cannot be parsed"),
        (["# nothing"], "laconic: there is no command in it"),
    ],
)
def test_which_wants_one_command_in_quotes(words, complaint, laconic):
    status, out, err = laconic("which", *words)
    assert status in (1, 2)
    assert not out
    assert complaint in err


# -- test ----------------------------------------------------------------------------------------


def test_the_examples_of_a_filter_are_tested(mine, laconic):
    mine.write_text(GIT_LOG + EXAMPLE.format(status=0, output="b"))
    status, out, _ = laconic("test", "x")
    assert status == 1
    assert out == (
        "x: example 1: `git log`, status 0\n"
        "  --- expected\n  +++ got\n  @@ -1 +1 @@\n  -b\n  +a \\ b\n"
        "1 examples, 1 of them wrong\n"
    )
    assert laconic("test", str(mine))[0] == 1
    assert laconic("test", "cargo/test", "git/log")[0] == 0


def test_a_broken_file_is_no_missing_filter(mine, laconic):
    mine.write_text(GIT_LOG + "drpo = []\n")
    for action in ("test", "show"):
        status, _, err = laconic(action, "x")
        assert (status, "there is no filter" in err) == (1, False)
        assert f'{mine}: key "drpo": unknown key\n' in err


def test_examples_are_brought_up_to_date_and_the_rest_of_the_file_stays(mine, laconic):
    old = "".join(EXAMPLE.format(status=status, output="old") for status in (0, 1))
    mine.write_text(f"{GIT_LOG}{old}# end\n")
    assert laconic("test", "x")[0] == 1
    assert laconic("test", "--update", "x") == (0, "2 examples, 0 of them wrong\n", "")
    assert mine.read_text() == f"{GIT_LOG}{old}# end\n".replace("old", r"a \\ b")


def test_a_built_in_filter_is_not_updated_by_its_id(mine, laconic):
    text = GIT_LOG + EXAMPLE.format(status=0, output="old")
    mine.write_text(text)
    status, out, err = laconic("test", "--update", "x", "git/status")
    assert (status, out) == (1, "")
    assert "git/status is built in, and --update changes only your own files" in err
    assert mine.read_text() == text


def test_an_example_in_another_form_is_left_to_its_author(mine, laconic):
    text = GIT_LOG + EXAMPLE.format(status=0, output="old").replace('"""\nold\n"""', '"old\\n"')
    mine.write_text(text)
    status, _, err = laconic("test", "--update", "x")
    assert status == 1
    assert "not every output is written over several lines" in err
    assert mine.read_text() == text


# -- new -----------------------------------------------------------------------------------------


@pytest.fixture
def new(laconic):
    """Write a filter; return the document that its file has."""

    def write(*argv: str) -> dict:
        status, out, err = laconic("new", *argv)
        assert (status, err) == (0, "")
        return toml.parse(Path(out.splitlines()[0]).read_bytes())

    return write


def test_new_writes_a_filter_whose_example_is_the_output(tmp_path, new, laconic):
    output = tmp_path / "out.txt"
    output.write_bytes(b'say """x""" \\ \t \xff\n\x1b[31mred\nlast')
    argv = ["my/build", "--from", str(output), "--command", "mytool build -v", "--status", "3"]
    document = new(*argv)
    assert document["command"] == ["mytool build"]
    example = document["example"][0]
    assert (example["command"], example["status"]) == ("mytool build -v", 3)
    assert example["input"] == 'say """x""" \\ \t \ufffd\n\x1b[31mred\nlast\n'
    assert example["output"] == 'say """x""" \\ \t \ufffd\nred\nlast\n'
    assert laconic("test", "my/build")[0] == 0
    assert laconic("new", *argv)[0] == 1


@pytest.mark.parametrize(
    ("command", "path"),
    [
        ("mytool build x", "mytool build"),
        ("./tools/build.sh 3", "build.sh"),
        ("FOO=1 mytool --fast", "mytool"),
        ("python3.11 -m mytool x", "python -m mytool"),
        ("python3 tools/ci.py --all", "python tools/ci.py"),
        ("bash -x tools/ci.sh", "bash tools/ci.sh"),
        ("python3 -c 'print(1)'", "python -c"),
        ("npx mytool build", "mytool build"),
        ("uv run mytool build", "mytool build"),
        ("npm run build -- x", "npm run build"),
        ("make -j4 check", "make check"),
        ("bzip2 -v x", "bzip2"),
    ],
)
def test_new_is_for_this_command_and_not_for_all_of_a_program(command, path, output, new, laconic):
    assert new("mine", "--from", output, "--command", command)["command"] == [path]
    assert laconic("which", command)[1].startswith("mine  (")


def test_new_says_which_filter_it_takes_the_place_of(output, laconic):
    out = laconic("new", "mine", "--from", output, "--command", "git log -3")[1]
    assert out.splitlines()[1:] == [
        "for: git log",
        "instead of: git/log (built-in)",
        "next: say what to drop, then: laconic filters test mine",
    ]


def test_new_says_when_its_name_is_that_of_a_built_in_filter(output, laconic):
    out = laconic("new", "pytest", "--from", output, "--command", "mytool build")[1]
    assert out.splitlines()[1:3] == ["for: mytool build", "instead of: pytest (built-in)"]


@pytest.mark.parametrize(
    ("argv", "complaint"),
    [
        (["x"], "where is the output?"),
        (["x", "--from", "/dev/null"], "is not a regular file"),
        (["x", "--from", "nosuch.txt"], "is neither a file nor the id of a run"),
        (["x", "--from", "k3f9ab"], "no run has the id"),
        (["x", "--from", "last"], "no run is recorded yet"),
        (["../x", "--from", __file__, "--command", "x"], "leads out of your filters"),
        (["x", "--from", __file__], "which command wrote it?"),
        (["x", "--from", __file__, "--command", "$tool"], "no filter can be found"),
        (["x", "--from", __file__, "--command", "a; b"], "expected one command, found 2"),
    ],
)
def test_new_says_what_it_needs(argv, complaint, laconic):
    status, _, err = laconic("new", *argv)
    assert status in (1, 2)
    assert complaint in err


def record(command: str, status: int, output: bytes = b"") -> str:
    """Record a run as laconic does: only an output of which something was hidden is kept."""
    state = read_directories().state
    raw_id = Store(state).keep({"both": output}) if output else ""
    record_run(state, Run(command, status=status, raw_id=raw_id))
    return raw_id


def test_new_takes_a_recorded_run(new):
    first = record("mytool build", 2, b"built\nerror: no\n")
    record("mytool check", 0, b"checked\n")
    example = new("a", "--from", "last")["example"][0]
    assert (example["command"], example["status"]) == ("mytool check", 0)
    example = new("b", "--from", first)["example"][0]
    assert (example["command"], example["status"]) == ("mytool build", 2)
    assert example["input"] == "built\nerror: no\n"


def test_new_takes_no_other_run_for_the_last_one(laconic):
    record("mytool build", 2, b"built\nerror: no\n")
    record("./build.sh 'a b'", 0)
    status, out, err = laconic("new", "x", "--from", "last")
    assert (status, out) == (1, "")
    assert err == (
        "laconic: the last output was not kept, it was shown whole: ./build.sh 'a b'\n"
        "hint: ./build.sh 'a b' 2>&1 | laconic filters new x --from -"
        " --command './build.sh '\\''a b'\\'''\n"
    )


def test_new_proposes_to_drop_what_every_run_of_the_command_printed(new, laconic):
    def built(files, said):
        steps = "".join(f"compiling part_{n}.c in {n}ms\n" for n in range(files))
        wrong = "".join(f"error: part_{n}.c is wrong\n" for n in range(3))
        return f"{steps}{said}\n{wrong}".encode()

    record("mytool build", 1, built(5, "the first run"))
    record("othertool", 0, b"something else\n" * 5)
    record("mytool build", 1, built(7, "the second run"))
    document = new("a", "--from", "last")
    assert document["drop"] == ["^compiling .* in .*$"]
    assert document["example"][0]["output"] == built(0, "the second run").decode()
    assert laconic("test", "a")[:2] == (0, "1 examples, 0 of them wrong\n")


def test_new_proposes_nothing_from_a_single_run(new):
    record("mytool build", 0, b"compiling a1.c in 3ms\n" * 9)
    assert new("a", "--from", "last")["drop"] == []

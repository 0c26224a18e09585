"""Rewriting: cases in plain files, and what must hold for any input."""

from __future__ import annotations

import os
import re
import subprocess
import textwrap
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from laconic.knowledge.arguments import Argument
from laconic.knowledge.catalog import library
from laconic.rewrite.edits import Edit, apply
from laconic.rewrite.from_config import LOCAL_WRAPPERS, TRANSPARENT, LocalWrapper, Options, Rule
from laconic.rewrite.plan import rewrite
from laconic.shell import ParseError, parse
from laconic.shell.walk import commands
from laconic.shell.words import literal

CASES = Path(__file__).parents[1] / "cases" / "rewrite"
FILTERED = frozenset("git cargo npm ls pytest jest kubectl docker rspec gh make just".split())


def has_filter(arguments: list[Argument]) -> str | None:
    name = (arguments[0].text or "").rsplit("/", 1)[-1]
    return name if name in FILTERED else None


def rewritten(command: str, options: Options | None = None) -> str:
    return rewrite(command, options or Options(has_filter), library()).text


def read_cases():
    """`=== name`, input, `---`, output; without the second part it must stay as it is."""
    found = []
    for path in sorted(CASES.glob("*.case")):
        for block in re.split(r"^=== ", path.read_text("utf-8"), flags=re.MULTILINE)[1:]:
            name, _, text = block.partition("\n")
            given_text, _, expected = text.partition("---\n")
            wanted = (expected or given_text).removesuffix("\n")
            found.append(
                pytest.param(given_text.removesuffix("\n"), wanted, id=f"{path.stem}:{name}")
            )
    return found


@pytest.mark.parametrize(("command", "expected"), read_cases())
def test_case(command: str, expected: str) -> None:
    assert rewritten(command) == expected
    assert rewritten(expected) == expected, "a second time changes nothing"
    assert undone(command) == command.encode(), "without the edits it is the original"


def undone(command: str) -> bytes:
    """The rewritten text with every edit reversed."""
    result = rewrite(command, Options(has_filter), library())
    source = command.encode("utf-8", "surrogateescape")
    back, shift = [], 0
    for edit in sorted(result.edits, key=lambda edit: edit.offset):
        inserted = len(edit.inserted.encode())
        removed = source[edit.offset : edit.offset + edit.removed].decode()
        back.append(Edit(edit.offset + shift, removed, inserted))
        shift += inserted - edit.removed
    return apply(result.text.encode("utf-8", "surrogateescape"), back)


# -- configuration -------------------------------------------------------------------------------


def options(**changes: object) -> Options:
    made = Options(has_filter)
    for name, value in changes.items():
        setattr(made, name, value)
    return made


def rule(match: str, replace: str) -> Rule:
    return Rule(re.compile(match), replace)


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        ("mix compile", "laconic err mix compile"),
        ("mix compile --force", "laconic err mix compile --force"),
        ("cd x && mix compile", "cd x && laconic err mix compile"),
        ("MIX_ENV=test mix compile", "MIX_ENV=test laconic err mix compile"),
        ("mix compile > log", "mix compile > log"),
        ("mix compile &", "mix compile &"),
        ("git status", "laconic run git status"),
    ],
)
def test_a_rule_of_the_user_comes_first(command: str, expected: str) -> None:
    chosen = options(rules=(rule("^mix compile", "laconic err {0}"),))
    assert rewritten(command, chosen) == expected


def test_a_rule_may_name_groups_and_the_rest() -> None:
    chosen = options(rules=(rule(r"^mise run(\s.*)?$", "SHELL=laconic mise run{1}"),))
    assert rewritten("mise run test -v", chosen) == "SHELL=laconic mise run test -v"
    chosen = options(rules=(rule("^old", "new --flag {rest}"),))
    assert rewritten("old a b", chosen) == "new --flag a b"


def test_a_rule_sees_the_whole_pipeline() -> None:
    chosen = options(rules=(rule(r"^cargo test \| tee", "laconic run {0}"),))
    assert rewritten("cargo test | tee log", chosen) == "laconic run cargo test | tee log"


def test_a_rule_overrides_the_task_runner() -> None:
    made = rule(r"^(?:[^\s]*/)?make(\s.*)?$", "make SHELL=laconic .SHELLFLAGS=-ec{1}")
    assert rewritten("make check", options(rules=(made,))) == (
        "make SHELL=laconic .SHELLFLAGS=-ec check"
    )


def test_a_rule_whose_result_does_not_parse_is_not_used() -> None:
    chosen = options(rules=(rule("^git", "(((git"),))
    assert rewritten("git status", chosen) == "laconic run git status"


def test_rules_do_not_touch_transparent_commands() -> None:
    chosen = options(rules=(rule("git", "laconic err git"),))
    for name in ("ssh", "/usr/bin/ssh", "~/bin/ssh", "$HOME/bin/ssh", '"$X"/ssh', "'ssh'"):
        assert rewritten(f"{name} host 'git status'", chosen) == f"{name} host 'git status'"
    chosen.transparent = TRANSPARENT | {"kubectl"}
    assert rewritten("kubectl exec p -- git log", chosen) == (
        "laconic run kubectl exec p -- git log"
    )


def test_rules_do_not_touch_functions() -> None:
    chosen = options(rules=(rule("^git", "laconic err git"),))
    assert rewritten("git() { x; }; git status", chosen) == "git() { x; }; git status"


def test_skip_patterns_see_the_environment_prefix() -> None:
    chosen = options(skip=(re.compile("^cargo"),))
    assert rewritten("cargo test", chosen) == "cargo test"
    assert rewritten("RUST_LOG=debug cargo test", chosen) == (
        "RUST_LOG=debug laconic run cargo test"
    )
    chosen = options(skip=(re.compile(r"(?:^|\s)cargo\s"),))
    assert rewritten("RUST_LOG=debug cargo test", chosen) == "RUST_LOG=debug cargo test"
    assert rewritten("cargo test && git status", chosen) == "cargo test && laconic run git status"


def test_skip_switches_a_task_runner_off() -> None:
    assert rewritten("make check", options(skip=(re.compile("^make"),))) == "make check"


@pytest.mark.parametrize("entry", ["git push", "^git pu(sh|ll)( |$)"])
def test_exclude_takes_words_or_a_pattern(entry: str) -> None:
    chosen = options(exclude=(entry,))
    assert rewritten("A=1 git push origin", chosen) == "A=1 git push origin"
    assert rewritten("'git' push", options(exclude=("git push",))) == "'git' push"
    assert rewritten("git pushx; git log", chosen) == "laconic run git pushx; laconic run git log"


@pytest.mark.parametrize("entry", ["git push", "^git pu(sh|ll)( |$)"])
@pytest.mark.parametrize(
    "command",
    [
        "timeout 5 git push",
        "timeout -k 1 5 git push origin",
        "env A=1 git push",
        "git -C x push",
        "git -c a.b=c --no-pager push origin main",
        "/usr/bin/git push",
        "sudo git push",
        "sudo -u me git -C x push",
        "nice -n 5 env A=1 git push",
        "command git push",
        "git 'push'",
        "nix develop -c git push",
    ],
)
def test_exclude_sees_through_what_only_runs_the_command(command: str, entry: str) -> None:
    chosen = options(exclude=(entry,), rules=(rule("git", "laconic err git"),))
    assert rewritten(command, chosen) == command
    assert rewritten(command.replace("push", "fetch"), chosen) != command


@pytest.mark.parametrize("entry", ["", "^", " "])
def test_an_empty_exclude_names_nothing(entry: str) -> None:
    assert rewritten("git push", options(exclude=(entry,))) == "laconic run git push"


def test_pipes_stay_when_strip_is_off() -> None:
    chosen = options(strip=False, prefer_less=True)
    assert rewritten("cargo test | tail -5; git log", chosen) == (
        "cargo test | tail -5; laconic run git log"
    )


def test_prefer_less_is_handed_on() -> None:
    assert rewritten("cargo test | tail -5", options(prefer_less=True)) == (
        "laconic run --baseline-pipe 'tail -5' --prefer-less cargo test"
    )


def test_a_wrapper_of_the_user_is_seen_through() -> None:
    chosen = options(local_wrappers=(*LOCAL_WRAPPERS, LocalWrapper("inside", ("--",))))
    assert rewritten("inside box -- cargo test", chosen) == "laconic run inside box -- cargo test"
    assert rewritten("inside box", chosen) == "inside box"


def test_every_segment_is_explained() -> None:
    notes = rewrite("git log; frob; make x", Options(has_filter), library()).notes
    assert [(note.action, note.reason) for note in notes] == [
        ("run", "filter git"),
        ("skip", "no filter"),
        ("run", "filter make"),
    ]


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        ("export PATH=/x:/bin; git log", "export PATH=/x:/bin; /opt/laconic run git log"),
        ('PATH="$HOME/bin:$PATH"; git log', 'PATH="$HOME/bin:$PATH"; /opt/laconic run git log'),
        (". .venv/bin/activate && pytest", ". .venv/bin/activate && /opt/laconic run pytest"),
        ("PATH=/x git log; git diff", "PATH=/x /opt/laconic run git log; laconic run git diff"),
        ("export PATH=bin:$PATH; git log", "export PATH=bin:$PATH; git log"),
        ("unset PATH; git log", "unset PATH; git log"),
        ("PATH='~/bin':$PATH; git log", "PATH='~/bin':$PATH; git log"),
        ("PATH=$(x):$PATH; git log", "PATH=$(x):$PATH; git log"),
        ("PATH=~/bin:$PATH; git log", "PATH=~/bin:$PATH; /opt/laconic run git log"),
        ("PATH= git log", "PATH= git log"),
        ("export PATH=/x; git log | tail -3", "export PATH=/x; git log | tail -3"),
        (
            "source .venv/bin/activate; pytest | tail -3",
            "source .venv/bin/activate; /opt/laconic run --baseline-pipe 'tail -3' pytest",
        ),
    ],
)  # fmt: skip
def test_where_the_path_changes_the_full_path_is_written(command: str, expected: str) -> None:
    assert rewritten(command, options(full_path="/opt/laconic")) == expected
    plain = expected.replace("/opt/laconic run ", "").replace("laconic run ", "")
    if "--baseline-pipe" not in plain:
        assert plain == command
    without = rewritten(command)
    assert without == ("PATH=/x git log; laconic run git diff" if "diff" in command else command)


# -- what must hold for any input ----------------------------------------------------------------

SIMPLE = st.sampled_from(
    "git status|git log -3|cargo test --fail|ls 'a b'|A=1 git x|echo hi|false|true|git --err"
    "|command git y|! git --fail|time cargo x|npm test|git 'it'\"s\"".split("|")
)
SUFFIX = st.sampled_from(
    ["", "", "", " 2>&1", " > out.txt", " < /dev/null", " <<< in", " | tail -2", " | head -n1",
     " | grep -v x", " | grep -i 'a'", " | wc -l", " 2>&1 | tail -1"]
)  # fmt: skip
SEGMENT = st.builds(str.__add__, SIMPLE, SUFFIX)
SEPARATOR = st.sampled_from([" && ", " || ", "; ", "\n", " ;\n# note\n"])
COMPOUND = st.recursive(
    SEGMENT,
    lambda inner: st.one_of(
        st.builds(str.join, SEPARATOR, st.lists(inner, min_size=1, max_size=3)),
        st.builds("{{ {}\n}}".format, inner),
        st.builds("( {}\n)".format, inner),
        st.builds("if {}\nthen {}\nfi".format, inner, inner),
        st.builds("for i in 1 2; do {}\ndone".format, inner),
        st.builds('echo "$( {}\n)"'.format, inner),
        st.builds("f() {{ {}\n}}; f".format, inner),
        st.builds("case a in a) {}\n;; esac".format, inner),
    ),
    max_leaves=5,
)


@settings(max_examples=300, deadline=None)
@given(COMPOUND)
def test_a_rewritten_command_has_the_same_commands(command: str) -> None:
    result = rewritten(command)
    assert rewritten(result) == result
    assert undone(command) == command.encode()
    assert _programs(result) == _programs(command)


def _programs(command: str) -> list[list[str | None]]:
    """The words of every command, `laconic run` and the pipes that it honours put back."""
    found: list[list[str | None]] = []
    for occurrence in commands(parse(command)):
        words = [literal(word) for word in occurrence.command.words]
        start = words.index("laconic") if "laconic" in words else len(words)
        behind = words[start + 2 :]
        pipe: list[list[str | None]] = []
        while behind and (behind[0] or "").startswith("--"):
            flag = behind.pop(0)
            if flag == "--baseline-pipe":
                pipe = _programs(behind.pop(0) or "")
        found += [words[:start] + behind, *pipe]
    return found


@settings(max_examples=300, deadline=None)
@given(st.text(alphabet="git stau\n;|&<>(){}'\"$`#\\=~ech!", max_size=60))
def test_any_text_comes_back_whole(command: str) -> None:
    result = rewritten(command)
    assert undone(command) == command.encode()
    if result != command:
        parse(result)


PIECES = (
    "git log|PATH=|/x:|$PATH|~/a|'~'|$'\\xff'|$'\\U110000'|export |declare -n |unset |set -"
    "|o pipefail|-- |trap |'x' |'' |EXIT|source |/activate|. |. |command |-v |exec |3>|&3|>&-"
    '|"$x"|${x:=1}|${!x}|((x=1))|for PATH in|; do |; done|f() { |}|; |\n| | |-r|+x|HOME=/y |[1]='
    "|+=|tail -3|`x`|$(y)"
).split("|")


@settings(max_examples=300, deadline=None)
@given(st.lists(st.sampled_from([*PIECES, "|", " | "]), max_size=12).map("".join))
def test_whatever_a_line_does_to_its_shell_it_comes_back_whole(command: str) -> None:
    chosen = options(full_path="/opt/laconic", exclude=("git x",), rules=(rule("^no", "yes"),))
    result = rewrite(command, chosen, library())
    if result.text != command:
        parse(result.text)
    assert undone(command) == command.encode()


def test_text_that_does_not_parse_is_returned() -> None:
    with pytest.raises(ParseError):
        parse("git status; (")
    assert rewritten("git status; (") == "git status; ("


STUBS = {
    "git": 'echo "git $*"; case "$*" in *--fail*) exit 3;; *--err*) echo oops >&2; exit 1;; esac',
    "cargo": 'for i in a b c x; do echo "cargo $* $i"; done; case "$*" in *--fail*) exit 101; esac',
    "npm": 'echo "npm $*" ; echo "npm err" >&2',
    "laconic": """\
        [ "$1" = run ] || exit 99; shift
        pipe= fail= both=
        while :; do case "$1" in
            --baseline-pipe) pipe=$2; shift 2;;
            --pipefail) fail=1; shift;;
            --pipe-stderr) both=1; shift;;
            *) break;;
        esac; done
        [ -n "$pipe" ] || exec "$@"
        [ -z "$fail" ] || set -o pipefail
        if [ -n "$both" ]; then "$@" 2>&1 | eval "$pipe"; else "$@" | eval "$pipe"; fi
    """,
}


@pytest.fixture(scope="module")
def stub_path(tmp_path_factory: pytest.TempPathFactory) -> str:
    folder = tmp_path_factory.mktemp("bin")
    for name, body in STUBS.items():
        program = folder / name
        program.write_text("#!/usr/bin/env bash\n" + textwrap.dedent(body) + "\n")
        program.chmod(0o755)
    return f"{folder}{os.pathsep}{os.environ['PATH']}"


def _run(command: str, path: str, folder: Path) -> tuple[int, bytes, bytes, bytes]:
    done = subprocess.run(
        ["bash", "-c", f"TIMEFORMAT=; {command}"],
        check=False, capture_output=True, cwd=folder, env={"PATH": path, "HOME": str(folder)},
        stdin=subprocess.DEVNULL, timeout=30,
    )  # fmt: skip
    out = folder / "out.txt"
    written = out.read_bytes() if out.exists() else b""
    out.unlink(missing_ok=True)
    return done.returncode, done.stdout, done.stderr, written


@settings(max_examples=60, deadline=None)
@given(command=COMPOUND)
def test_under_bash_it_does_the_same(
    command: str, stub_path: str, tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder = tmp_path_factory.mktemp("cwd")
    assert _run(rewritten(command), stub_path, folder) == _run(command, stub_path, folder)


def test_a_parse_failure_is_said_when_asked_for(
    tmp_path: Path, capsys: pytest.CaptureFixture
) -> None:
    from laconic.rewrite.from_config import rewritten as with_settings
    from laconic.settings.load import read_settings

    config = tmp_path / "config.toml"
    environ = {"HOME": str(tmp_path), "LACONIC_CONFIG_DIR": str(tmp_path)}
    for text, expected in (("", 0), ("[debug]\nlog_parse_failures = true\n", 1)):
        config.write_text(text)
        with_settings("git log (", read_settings(environ, tmp_path))
        assert capsys.readouterr().err.count("cannot be parsed") == expected

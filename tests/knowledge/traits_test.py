"""The traits of programs: what the tables say of them is what they do."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from laconic.knowledge.arguments import Argument, evaluate
from laconic.knowledge.catalog import library, tables
from laconic.knowledge.traits import TRAITS, detailed, filled, inner, named, shells
from laconic.shell import parse
from laconic.shell.walk import NAMING_OPTION, TAKING_NAMES, commands
from machine import each_of

BASH = shutil.which("bash") or "/bin/bash"
# What has to come before the command, where a wrapper takes more than that.
BEFORE = {
    "timeout": ["5"],
    "gtimeout": ["5"],
    "chrt": ["-o", "0"],
    "taskset": ["1"],
    "flock": ["lock"],
    "stdbuf": ["-oL"],
    "prlimit": ["--nofile=64"],
    "choom": ["-n", "0", "--"],
}
MODIFIERS = named("modifier")
HANDING_ON = sorted(named("hands-on") - MODIFIERS)


def words(line: str) -> list[Argument]:
    return evaluate(commands(parse(line.encode()))[0].command.words, {})


def inside(line: str, trait: str = "transparent") -> str | None:
    found = inner(words(line), trait, library())
    return None if found is None else " ".join(argument.text or "" for argument in found)


def in_bash(script: str) -> str:
    done = subprocess.run(
        [BASH, "--norc", "-c", script], check=False, capture_output=True, text=True, timeout=30
    )
    return done.stdout.strip()


# -- wrappers --------------------------------------------------------------------------------------


def given_to(name: str) -> tuple[list[str], list[str]]:
    """The words that start a wrapper, and those of the command among them."""
    command = ["sh", "-c", 'echo "$0 $MARK"; exit 3', "a b"]
    return [name, *BEFORE.get(name, []), *command], command


@pytest.mark.parametrize("name", HANDING_ON)
def test_the_command_that_a_program_hands_on_is_found_by_its_table(name: str) -> None:
    given, command = given_to(name)
    found = inner([Argument(word, 0, 0) for word in given], "hands-on", library())
    assert [argument.text for argument in found or ()] == command


@pytest.mark.parametrize("name", each_of(*HANDING_ON))
def test_what_hands_on_runs_its_command_once_with_its_environment(
    name: str, tmp_path: Path
) -> None:
    given, _ = given_to(name)
    environment = {**os.environ, "MARK": "a mark"}
    done = subprocess.run(
        given, check=False, capture_output=True, text=True, cwd=tmp_path, env=environment
    )
    assert done.stdout.count("a b a mark\n") == 1, done
    # ltrace ends with 0 whatever its command does, and does not claim to be transparent.
    assert done.returncode == 3 or name not in named("transparent"), done


def test_some_of_them_are_installed() -> None:
    installed = filter(shutil.which, named("hands-on", "transparent"))
    assert {"nice", "timeout", "env"} <= set(installed)


@pytest.mark.parametrize("name", ["command", "builtin", "exec"])
def test_a_modifier_of_bash_runs_what_follows_in_the_shell_or_in_its_place(name: str) -> None:
    assert name in MODIFIERS & named("hands-on")
    echo = "/bin/echo" if name == "exec" else "echo"
    assert in_bash(f"MARK=x; export MARK; {name} {echo} $MARK") == "x"


@pytest.mark.parametrize(
    ("line", "command"),
    [
        ("nice -n 5 ls -l", "ls -l"),
        ("timeout -k 1 5 ls", "ls"),
        ("taskset -c 0 ls", "ls"),
        ("/usr/bin/env -u X A=1 B=2 ls x=1", "ls x=1"),
        ("uv run --extra dev pytest -x", "pytest -x"),
        ("bundle exec rspec", "rspec"),
        ("direnv exec . make", "make"),
        ("hatch run test", "test"),
        ("npx jest", "jest"),
    ],
)
def test_the_command_is_found_behind_options_and_operands(line: str, command: str) -> None:
    assert inside(line) == command


@pytest.mark.parametrize(
    "line",
    [
        "ls -l", "timeout 5", "nice --frob ls", "nice $x ls", "timeout -s ls", "env", "env -S 'ls'",
        "env A=1 $x", "uv pip list", "uv run --frob ls", "hatch env show", "sudo ls", "nohup ls",
        "command ls",
    ],
)  # fmt: skip
def test_what_is_read_in_doubt_or_hides_its_command_has_none(line: str) -> None:
    assert inside(line) is None


# -- shells ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", each_of(*sorted(shells())))
def test_a_shell_runs_the_code_behind_its_option(name: str) -> None:
    done = subprocess.run([name, "-c", "echo a; echo b"], check=True, capture_output=True)
    assert done.stdout == b"a\nb\n"


def test_shells_have_a_family() -> None:
    assert {"bash", "sh", "zsh", "ksh", "fish"} == set(detailed("shell").values())
    assert shells("bash", "zsh") == {"bash", "rbash", "zsh", "rzsh"}
    assert not shells() & {"pwsh", "tcsh", "nu"}


# -- builtins --------------------------------------------------------------------------------------

SETS = {
    "read": "read n <<< new",
    "mapfile": "mapfile -t n <<< new",
    "readarray": "readarray -t n <<< new",
    "getopts": "set -- -a; getopts a n && n=new",
    "printf": "printf -v n new",
    "wait": 'true & wait -n -p n; [ "$n" = $! ] && n=new',
    "export": "export n=new",
    "readonly": "readonly n=new",
    "declare": "declare n=new",
    "typeset": "typeset n=new",
    "local": "f() { local n=new; echo $n; exit; }; f",
    "unset": "unset n; n=${n-new}",
    "let": "let n=5; [ $n = 5 ] && n=new",
}


def test_what_sets_variables_is_what_bash_lets_set_them() -> None:
    assert named("fills", "exports", "declares", "unsets", "calculates") == SETS.keys()


@pytest.mark.parametrize("name", sorted(SETS))
def test_a_builtin_sets_the_variable_that_is_named(name: str) -> None:
    assert in_bash(f"n=old; {SETS[name]}; echo $n") == "new"


def test_the_grammar_knows_the_same_builtins() -> None:
    """Of those that take names, the two that only look at a variable set none."""
    setting = named("fills", "exports", "declares", "unsets", "calculates")
    assert setting | {"test", "["} == TAKING_NAMES
    by_option = {name: option for name, option in detailed("fills").items() if option}
    assert by_option == {n: o for n, o in NAMING_OPTION.items() if n in setting}


@pytest.mark.parametrize(
    ("words", "names"),
    [
        (["read", "-r", "a"], {"a"}),
        (["command", "-p", "read", "a"], {"a"}),
        (["builtin", "mapfile", "-t", "a"], {"a"}),
        (["read", "-rsaa"], {"a"}),
        (["printf", "-va", "x"], {"a"}),
        (["printf", "%s", "a"], set()),
        (["printf", "-v", "a", "x"], {"a"}),
        (["printf", None, "a", "x"], {"a"}),
        (["echo", "a"], set()),
        ([None, "a"], set()),
        ([], set()),
    ],
)
def test_the_variables_that_get_a_text_from_elsewhere(
    words: list[str | None], names: set[str]
) -> None:
    assert set(filled(words)) & {"a"} == names


def test_what_enters_a_directory_does_so() -> None:
    assert named("enters") == {"cd", "chdir", "pushd", "popd"}  # chdir is zsh's
    for name in ("cd", "pushd"):
        assert in_bash(f"cd /; {name} /tmp > /dev/null; pwd") == "/tmp"
    assert in_bash("cd /; pushd /tmp > /dev/null; popd > /dev/null; pwd") == "/"


@pytest.mark.parametrize("trait", ["runs", "changes", "modifier"])
def test_what_acts_on_the_shell_is_a_part_of_it(trait: str) -> None:
    """bash or zsh has it: those of zsh are in one table."""
    of_bash = set(in_bash("compgen -bk").split())
    of_zsh = next(path for stem, path, _ in tables() if stem == "builtins" and "setopt" in path)
    assert named(trait) <= of_bash.union(of_zsh[1:-1].split(","))


def test_no_trait_is_without_a_program() -> None:
    assert all(map(named, TRAITS))

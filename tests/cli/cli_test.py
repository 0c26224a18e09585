"""The real program, as a person or a script runs it."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from laconic import __version__
from laconic.cli import main as cli
from laconic.cli.completions import levels
from laconic.install import recipe
from laconic.settings import toml

LACONIC = [sys.executable, "-m", "laconic"]


def laconic(*words, stdin=b"", **more):
    done = subprocess.run([*LACONIC, *words], input=stdin, capture_output=True, check=False, **more)
    return done.returncode, done.stdout.decode(), done.stderr.decode()


@pytest.fixture
def project(tmp_path, monkeypatch):
    directory = tmp_path / "project"
    (directory / ".laconic").mkdir(parents=True)
    (directory / ".laconic/config.toml").write_text(
        '[commands]\nallow = ["zz"]\ndeny = ["terraform"]\n'
    )
    monkeypatch.chdir(directory)
    return directory


# -- the program ---------------------------------------------------------------------------------


def test_the_installed_program_is_the_module():
    program = Path(sys.executable).with_name("laconic")
    done = subprocess.run([program, "--version"], capture_output=True, check=True)
    assert done.stdout.decode() == laconic("--version")[1] == f"laconic {__version__}\n"


def test_help_names_every_command():
    status, out, _ = laconic("--help")
    assert status == 0
    assert all(command.name in out and command.help in out for command in cli.COMMANDS)


def test_the_server_is_described_in_its_own_help_as_in_that_of_laconic():
    program = Path(sys.executable).with_name("laconic-py")
    done = subprocess.run([program, "server", "--help"], capture_output=True, check=True)
    assert done.stdout.decode() == laconic("server", "--help")[1]


@pytest.mark.parametrize("command", ["install", "uninstall"])
def test_the_names_of_all_agents_are_in_the_help(command):
    text = re.sub(r"-\n +", "-", laconic(command, "--help")[1])
    assert set(text.replace(",", "").split()) >= set(recipe.names())


QUOTE_IT = (
    "laconic: unrecognized arguments: --short\n"
    "hint: put the command in quotes: laconic parse 'git ...'\n"
)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--frob"], "laconic: there is no option '--frob'\nhint: laconic --help\n"),
        (["-V"], "laconic: there is no option '-V'\nhint: laconic --version\n"),
        (["prase"], "laconic: there is no command 'prase'\nhint: did you mean: laconic parse\n"),
        (["\x1b[31m"], "laconic: there is no command '\\x1b[31m'\nhint: laconic --help\n"),
        (["parse", "--no", "x"],
         "laconic: unrecognized arguments: --no\nhint: laconic parse --help\n"),
        (["parse", "git", "status", "--short"], QUOTE_IT),
        (["parse", "git", "status"],
         "laconic: parse takes one text\nhint: put it in quotes: laconic parse 'git status'\n"),
        (["config"],
         "laconic: the following arguments are required: ACTION\nhint: laconic config --help\n"),
    ],
)  # fmt: skip
def test_a_wrong_command_line_gets_two_lines_and_status_2(words, message):
    assert laconic(*words) == (2, "", message)


@pytest.mark.parametrize(
    "line",
    [
        "server status", "server log", "server nosuch", "config show", "gain", "history", "doctor",
        "filters list", "rules list", "--help", "run --help", "run --no", "nosuch", "parse 'ls |'",
    ],
)  # fmt: skip
@pytest.mark.parametrize("closed", ["| true", "2>&1 | true", ">&- 2>&1 | true", "2>&- | true"])
def test_without_a_reader_nobody_complains(line, closed):
    """Whatever a command has to say, on stdout or on stderr; `true` has ended by then."""
    program = Path(sys.executable).with_name("laconic-py")
    script = f"(sleep 0.1; exec {program} {line}) {closed}"
    done = subprocess.run(["bash", "-c", script], capture_output=True, check=False)
    assert b"Traceback" not in done.stderr
    assert b"Exception" not in done.stderr


def test_a_reader_that_goes_away_is_no_error():
    command = f"{' '.join(LACONIC)} config show --sources | head -1; exit ${{PIPESTATUS[0]}}"
    done = subprocess.run(["bash", "-c", command], capture_output=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, b"rewrite = []\n", b"")


def test_a_full_disk_is_one_line():
    with Path("/dev/full").open("wb") as full:
        done = subprocess.run([*LACONIC, "config", "show"], stdout=full, stderr=-1, check=False)
    assert (done.returncode, done.stderr) == (1, b"laconic: no space left on device\n")


def test_closed_streams_are_no_bug():
    done = subprocess.run(["bash", "-c", f"{' '.join(LACONIC)} parse ls >&- 2>&-"], check=False)
    assert done.returncode == 0


def test_ctrl_c_is_quiet_and_status_130(monkeypatch, capsys):
    def interrupted(_argv):
        raise KeyboardInterrupt

    monkeypatch.setattr(cli, "main", interrupted)
    assert cli.run([]) == 130
    assert capsys.readouterr() == ("", "")


def test_an_output_that_knows_only_ascii_gets_escapes():
    status, out, _ = laconic("parse", "echo é", env=os.environ | {"PYTHONIOENCODING": "ascii"})
    assert status == 0
    assert "echo \\xe9" in out


def test_a_bug_is_one_line_status_70_and_a_report_without_the_command(monkeypatch, capsys, home):
    def broken(_argv):
        raise ZeroDivisionError("oops")

    monkeypatch.setattr(cli, "main", broken)
    assert cli.run(["parse", "a secret"]) == 70
    report = home / ".local/state/laconic/bug.md"
    assert capsys.readouterr().err == (
        "laconic: this is a bug: ZeroDivisionError: oops\n"
        f"hint: please report it with the text in {report}\n"
    )
    text = report.read_text()
    assert f"- laconic {__version__}" in text
    assert "Traceback" in text
    assert "secret" not in text
    assert report.stat().st_mode & 0o777 == 0o600


def test_a_bug_that_cannot_be_written_down_is_still_one_line(monkeypatch, capsys, home):
    def broken(_argv):
        raise ZeroDivisionError("oops")

    monkeypatch.setattr(cli, "main", broken)
    (home / ".local").write_text("a file where a directory should be")
    assert cli.run([]) == 70
    assert "there is no report" in capsys.readouterr().err


# -- parse ---------------------------------------------------------------------------------------


def test_parse_prints_the_tree_with_bytes_and_text():
    assert laconic("parse", "é|wc >x") == (
        0,
        (
            "Sequence 0-8  é|wc >x\n"
            "  items: AndOr 0-8  é|wc >x\n"
            "    pipelines: Pipeline 0-8  é|wc >x\n"
            "      commands: Command 0-2  é\n"
            "        words: Word 0-2  é\n"
            "          parts: Literal 0-2 value='é'  é\n"
            "      operators: Mark 2-3 text='|'  |\n"
            "      commands: Command 3-8  wc >x\n"
            "        words: Word 3-5  wc\n"
            "          parts: Literal 3-5 value='wc'  wc\n"
            "        redirects: Redirect 6-8 operator='>'  >x\n"
            "          target: Word 7-8  x\n"
            "            parts: Literal 7-8 value='x'  x\n"
        ),
        "",
    )


def test_parse_shows_hostile_text_without_obeying_it():
    status, out, _ = laconic("parse", "-", stdin="echo '\x1b[31m' a\u202eb # \x07".encode())
    assert status == 0
    assert out.replace("\n", "").isprintable()


def test_parse_reads_stdin():
    assert laconic("parse", "-", stdin=b"ls | wc") == laconic("parse", "ls | wc")


def test_parse_prints_json():
    status, out, _ = laconic("parse", "--json", "echo 'é'")
    document = json.loads(out)
    assert (status, document["version"]) == (0, 1)
    command = document["tree"]["items"][0]["pipelines"][0]["commands"][0]
    assert (command["node"], command["start"], command["end"]) == ("Command", 0, 9)
    assert command["words"][1]["parts"][0]["value"] == "é"


@pytest.mark.parametrize(
    ("source", "message"),
    [
        (b"", "laconic: the command is empty\nhint: laconic parse 'ls -l | wc -l'\n"),
        (b" \n", "laconic: the command is empty\nhint: laconic parse 'ls -l | wc -l'\n"),
        (
            b"a\nb \0c",
            "laconic: a NUL byte cannot be part of a command, at byte 4\n  b �c\n    ^\n",
        ),
        (b"caf\xc3\xa9 \xff", "laconic: not valid UTF-8, at byte 6\n  café �\n       ^\n"),
        (b"a" * 2_000_000, "laconic: the command is larger than 1024 KB\n"),
    ],
)
def test_parse_says_what_cannot_be_a_command(source, message):
    assert laconic("parse", "-", stdin=source) == (1, "", message)


@pytest.mark.parametrize(
    "source",
    [b'echo "x', b"a\nif b", b"x" * 500 + b" (", b"\x1b[31m\t(", b"ls | | wc", b"(" * 3000],
)
def test_parse_points_at_the_byte_that_stopped_it(source):
    status, out, err = laconic("parse", "-", stdin=source)
    message, line, caret = err.splitlines()
    assert (status, out) == (1, "")
    assert message.startswith("laconic: cannot parse this: ")
    assert " at byte " in message
    assert caret.strip() == "^"
    assert len(line) < 100
    assert line.isprintable()


# -- config --------------------------------------------------------------------------------------


def test_config_show_is_toml_that_gives_the_same_configuration(home):
    user = home / ".config/laconic/config.toml"
    user.parent.mkdir(parents=True)
    user.write_text(
        '[[rewrite]]\nmatch = "^a\\\\s"\nreplace = "\\"b\\""\n[commands]\nallow = ["zz"]\n'
        '[git.config_env]\nA = "b c"\n[[local_wrapper.rules]]\ncommand = "x"\nmarkers = ["-c"]\n'
    )
    plain = toml.parse(laconic("config", "show")[1].encode())
    sources = toml.parse(laconic("config", "show", "--sources")[1].encode())
    assert plain == sources == json.loads(laconic("config", "show", "--json")[1])["config"]
    assert plain["rewrite"] == [{"match": "^a\\s", "replace": '"b"'}]
    assert plain["git"]["config_env"] == {"A": "b c"}
    assert plain["commands"]["allow"][-1] == "zz"


def test_config_show_says_where_each_value_comes_from(project):
    _, out, err = laconic("config", "show", "--sources")
    file = project / ".laconic/config.toml"
    assert f'    "terraform",  # {file}\n' in out
    assert '    "eval",  # built-in\n' in out
    assert '"zz"' not in out
    assert '[commands]: key "allow": ignored until you trust this project' in err
    sources = json.loads(laconic("config", "show", "--json", "--sources")[1])["sources"]
    assert sources["commands.deny"][-1] == str(file)
    assert sources["settings.gate"] == "built-in"


def test_config_path_names_the_files(project, home):
    assert laconic("config", "path") == (
        0,
        (
            f"user     {home}/.config/laconic/config.toml  (not there)\n"
            f"project  {project}/.laconic/config.toml  (untrusted)\n"
        ),
        "",
    )


def test_config_check_is_quiet_about_what_is_right(tmp_path):
    assert laconic("config", "check")[:2] == (0, "ok: no files, the built-in configuration\n")
    good = tmp_path / "good.toml"
    good.write_text("[pipe]\nstrip = false\n")
    assert laconic("config", "check", str(good)) == (0, f"ok: {good}\n", "")


def test_config_check_names_what_is_wrong(project, home):
    status, out, err = laconic("config", "check")
    assert (status, out) == (1, "")
    assert err.startswith(f"laconic: {project}/.laconic/config.toml: ")
    user = home / ".config/laconic/config.toml"
    user.parent.mkdir(parents=True)
    user.write_text("[comands]")
    assert (
        f'laconic: {user}: [comands]: unknown table\nhint: did you mean "commands"?\n'
        in (laconic("config", "check")[2])
    )


def test_config_check_also_sees_mistakes_that_are_not_in_force_yet(project):
    (project / ".laconic/config.toml").write_text("[pipe]\nstripp = true\n")
    _, _, err = laconic("config", "check")
    assert '[pipe]: key "stripp": ignored until you trust this project' in err
    assert '[pipe]: key "stripp": unknown key\nhint: did you mean "strip"?' in err


@pytest.mark.parametrize(("name", "words"), [(".", "is a directory"), ("none", "no such file")])
def test_config_check_of_no_file_is_one_line(tmp_path, name, words):
    status, _, err = laconic("config", "check", str(tmp_path / name))
    assert status == 1
    assert words in err
    assert err.count("\n") == 1


# -- trust ---------------------------------------------------------------------------------------


def test_trust_and_untrust(project):
    status, out, _ = laconic("trust")
    assert status == 0
    assert out.startswith(f"trusted: {project}\n  ")
    assert out.endswith('  now in force: [commands]: key "allow"\n')
    assert laconic("trust", "--list") == (0, f"{project}\n", "")
    assert laconic("config", "check")[0] == 0
    (project / ".laconic/config.toml").write_text("# other")
    assert laconic("trust", "--list")[1] == f"{project}  (untrusted: config.toml was changed)\n"
    assert laconic("untrust", str(project)) == (0, f"no longer trusted: {project}\n", "")
    assert laconic("untrust") == (
        1, "", f"laconic: {project}: was not trusted\nhint: laconic trust --list\n"
    )  # fmt: skip


def test_trust_names_what_has_no_effect_all_the_same(project):
    (project / ".laconic/config.toml").write_text('[commands]\nallow = ["curl"]\n')
    status, out, err = laconic("trust")
    assert (status, "now in force" in out) == (0, True)
    assert '"curl" has no effect: it is in ask' in err


def test_trust_through_a_linked_path_is_trust_in_the_project(project, tmp_path):
    (tmp_path / "link").symlink_to(project)
    assert laconic("trust", str(tmp_path / "link"))[1].startswith(f"trusted: {project}\n")
    assert laconic("config", "check")[0] == 0


def test_a_project_that_is_gone_can_be_forgotten(project, tmp_path, monkeypatch):
    laconic("trust")
    monkeypatch.chdir(tmp_path)
    project.rename(tmp_path / "moved")
    assert laconic("untrust", str(project))[0] == 0
    assert laconic("trust", "--list") == (0, "", "")


def test_a_broken_configuration_is_not_trusted(project):
    (project / ".laconic/config.toml").write_text("[comands]")
    status, _, err = laconic("trust")
    assert status == 1
    assert "[comands]: unknown table" in err
    assert laconic("trust", "--list")[1] == ""


def test_trust_where_there_is_nothing_to_trust(tmp_path):
    assert laconic("trust", cwd=tmp_path)[::2] == (
        1,
        "laconic: no .laconic/config.toml in this directory or above it\n",
    )
    assert laconic("trust", "nowhere")[2] == "laconic: nowhere: no such file or directory\n"


# -- completions ---------------------------------------------------------------------------------


def completed(line, tmp_path):
    """Ask a real bash what it would complete, as its own completion would be asked."""
    script = tmp_path / "completions.bash"
    script.write_text(laconic("completions", "bash")[1])
    words = line.split(" ")
    program = (
        f'source "{script}"; complete -p laconic >/dev/null || exit 9\n'
        f"COMP_WORDS=({' '.join(repr(word) for word in words)}); COMP_CWORD={len(words) - 1}\n"
        '_laconic; printf "%s\\n" "${COMPREPLY[@]}"'
    )
    done = subprocess.run(["bash", "--norc", "-c", program], capture_output=True, check=True)
    assert done.stderr == b""
    return done.stdout.decode().split()


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("laconic pa", ["parse"]),
        (
            "laconic config ",
            ["-h", "--help", "show", "path", "check", "get", "set", "unset", "edit"],
        ),
        ("laconic config show --s", ["--sources"]),
        ("laconic config --help sh", ["show"]),
        ("laconic completions ", ["-h", "--help", "bash", "fish", "zsh"]),
        ("laconic trust --l", ["--list"]),
        ("laconic zzz", []),
    ],
)
def test_bash_completes(line, words, tmp_path):
    assert completed(line, tmp_path) == words


@pytest.mark.parametrize("shell", ["bash", "fish", "zsh"])
def test_completions_hold_every_word(shell):
    _, out, _ = laconic("completions", shell)
    for level in levels(cli.build_parser()):
        for word in level.words:
            assert word.text.lstrip("-") in out


@pytest.mark.parametrize("word", ["show", "keep", "reset", "learn"])
def test_what_box_does_itself_has_help_everywhere(tmp_path, word):
    status, out, _ = laconic("box", word, "--help", cwd=tmp_path)  # in no project
    assert status == 0
    assert out.startswith("usage: laconic box")

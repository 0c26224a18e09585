"""The home in the box: the user's own at its own path, and what a program writes there."""

from __future__ import annotations

import os
import pwd
import resource
import subprocess
import tempfile
import time
from pathlib import Path

import pytest

from box.conftest import LACONIC, forbid_overlays
from box.installation import fit_directory, python_for_all
from laconic.box.plan import make_plan
from laconic.settings.load import read_settings


def wait_until(test, limit_s=20):
    end = time.monotonic() + limit_s
    while not test():
        assert time.monotonic() < end
        time.sleep(0.02)


# -- what is there ---------------------------------------------------------------------------------


def test_the_home_is_at_its_own_path_and_what_is_written_stays_in_the_box(box, home):
    (home / ".config/app").mkdir(parents=True)
    (home / ".config/app/x").write_text("mine\n")
    script = "cat ~/.config/app/x; echo box >> ~/.config/app/x; echo new > ~/marker; echo $HOME"
    done = box.sh(script)
    assert (done.stdout, done.returncode) == (f"mine\n{home}\n", 0)
    assert (home / ".config/app/x").read_text() == "mine\n"
    assert not (home / "marker").exists()
    assert box.sh("cat ~/.config/app/x ~/marker").stdout == "mine\nbox\nnew\n"


def test_what_comes_to_be_in_the_real_home_is_seen_at_once(box, home):
    box.run("true")
    (home / "later").write_text("later\n")
    assert box.sh("cat ~/later").stdout == "later\n"
    process = box.start("echo ready; read x; cat ~/while", stdin=subprocess.PIPE)
    process.stdout.readline()
    (home / "while").write_text("while\n")
    assert process.communicate("\n", timeout=20)[0] == "while\n"


@pytest.mark.parametrize("has_overlays", [True, False])
def test_a_directory_that_the_box_made_first_hides_no_real_one(box, home, has_overlays):
    """A first `go build` made ~/go in the box; what `go mod download` fetched later was hidden."""
    if not has_overlays:
        forbid_overlays(box.project)
    box.sh("mkdir -p ~/go/pkg ~/.cache/tool; touch ~/go/pkg/box ~/.cache/tool/box")
    for name in ("go/pkg/real", ".cache/tool/real"):
        (home / name).parent.mkdir(parents=True)
        (home / name).write_text("real\n")
    assert box.sh("cat ~/go/pkg/real").stdout == "real\n"
    if has_overlays:
        assert box.sh("ls ~/go/pkg ~/.cache/tool").stdout.split().count("real") == 2
        assert box.sh("ls ~/go/pkg").stdout == "box\nreal\n"


def test_what_is_newer_in_the_real_home_replaces_what_the_box_wrote(box, home):
    for name in ("settings", "kept"):
        (home / name).write_text("old\n")
    box.sh("echo box > ~/settings; echo box > ~/kept; rm ~/kept; echo file > ~/place")
    box.sh("echo box > ~/kept")
    (home / "settings").write_text("new\n")
    (home / "place").mkdir()
    (home / "place/x").write_text("x\n")
    assert box.sh("cat ~/settings ~/kept ~/place/x").stdout == "new\nbox\nx\n"


def test_what_a_command_removes_is_there_again_once_it_has_changed(box, home):
    (home / "cache/deep").mkdir(parents=True)
    (home / "cache/deep/old").write_text("old\n")
    (home / "file").write_text("old\n")
    assert box.sh("rm -r ~/cache ~/file; ls ~").stdout == "project\n" * (box.project.parent == home)
    (home / "cache/deep/new").write_text("new\n")
    time.sleep(0.02)
    (home / "file").write_text("new\n")
    assert box.sh("cat ~/cache/deep/new ~/file").stdout == "new\nnew\n"


def test_in_a_home_of_links_everything_can_be_read_as_well(box, home):
    forbid_overlays(box.project)
    (home / "f").write_text("f\n")
    assert box.sh("echo $HOME; cat ~/f; touch ~/mine").stdout == "/run/home\nf\n"
    (home / "g").write_text("g\n")
    assert box.sh("cat ~/g; ls -d ~/mine").stdout == "g\n/run/home/mine\n"
    assert not (home / "mine").exists()


# -- mounts below it -------------------------------------------------------------------------------

MOUNTED = """
mount -t tmpfs none "$HOME/volume" && echo in > "$HOME/volume/f" && cd "$1" && shift && exec "$@"
"""


def test_with_a_mount_below_it_its_directories_have_overlays_one_by_one(box, home):
    for name in ("volume", ".cache", "docs"):
        (home / name).mkdir()
    (home / ".rc").write_text("rc\n")
    (home / "docs/d").write_text("d\n")
    (home / "docs/link").symlink_to("d")

    def run(script):
        words = ["unshare", "-rm", "bash", "-c", MOUNTED, "x", box.project]
        words += box.words("bash", "-c", script)
        return subprocess.run(words, capture_output=True, text=True, check=False, timeout=60)

    done = run("cat ~/volume/f ~/.rc ~/docs/link; echo c > ~/.cache/c; echo n > ~/new; touch here")
    assert (done.stdout, done.returncode) == ("in\nrc\nd\n", 0), done.stderr
    assert sorted(os.listdir(home / ".cache")) == []
    assert (box.project / "here").exists()
    (home / "later").mkdir()
    done = run("cat ~/.cache/c ~/new; ls -d ~/later; touch ~/docs/x ~/volume/x ~/.rc")
    assert done.stdout == f"c\nn\n{home}/later\n"
    assert done.stderr.count("Read-only file system") == 3


# -- several boxes at once -------------------------------------------------------------------------


def test_boxes_that_live_at_the_same_time_have_one_home(box, home):
    first = box.start("touch ~/first; echo ready; read x; cat ~/second", stdin=subprocess.PIPE)
    assert first.stdout.readline() == "ready\n"
    second = box.start(
        "cd; ls first; echo two > second; echo ready; read x; cat third", stdin=subprocess.PIPE
    )
    assert [second.stdout.readline() for _ in range(2)] == ["first\n", "ready\n"]
    assert first.communicate("\n", timeout=20)[0] == "two\n"
    # The one that made the mount is gone; who comes now takes it from the second.
    assert box.sh("cd; ls first second; echo three > third").stdout == "first\nsecond\n"
    assert second.communicate("\n", timeout=20)[0] == "three\n"
    assert box.sh("cd; ls first second third").stdout == "first\nsecond\nthird\n"
    assert sorted(os.listdir(home)) == [".gitconfig", ".local"]


def test_with_few_open_files_boxes_know_of_each_other_all_the_same(box):
    """Else the kernel would have two overlays over one upper directory."""

    def limit():
        resource.setrlimit(resource.RLIMIT_NOFILE, (150, 150))

    first, second = (
        box.start("echo ready; read x", stdin=subprocess.PIPE, preexec_fn=limit) for _ in range(2)
    )
    assert [one.stdout.readline() for one in (first, second)] == ["ready\n"] * 2
    assert len(list((box.directory / "over/in").iterdir())) == 2
    for one in (first, second):
        assert one.communicate("\n", timeout=20)[1] == ""
    wait_until(lambda: not list((box.directory / "over/in").iterdir()))


def test_a_box_that_is_killed_leaves_the_home_to_the_next(box):
    process = box.start("echo x > ~/x; echo ready; sleep 60", start_new_session=True)
    process.stdout.readline()
    os.killpg(process.pid, 9)
    process.communicate(timeout=20)
    wait_until(lambda: box.sh("cat ~/x; touch ~/y").stderr == "")
    wait_until(lambda: not list((box.directory / "over/in").iterdir()))


def test_many_at_once(box):
    several = [box.start(f"echo {n} > ~/n{n}; sleep 0.2; cat ~/n{n}") for n in range(6)]
    assert [one.communicate(timeout=60)[0] for one in several] == [f"{n}\n" for n in range(6)]
    assert len(box.sh("ls ~/n*").stdout.split()) == 6


# -- what stays out of reach -----------------------------------------------------------------------


def test_secrets_are_covered_also_where_the_box_had_something_else(box, home):
    box.sh("echo own > ~/.aws; ln -s . ~/.ssh; mkdir ~/.netrc ~/.kube; rm -r ~/.kube")
    for name in (".aws/credentials", ".ssh/id_rsa", ".kube/config", ".config/gh/hosts.yml"):
        (home / name).parent.mkdir(parents=True, exist_ok=True)
        (home / name).write_text("secret\n")
    (home / ".netrc").write_text("secret\n")
    done = box.sh(
        "cd; cat .aws/* .ssh/* .kube/* .netrc .config/gh/*; grep -r secret . ; ls -d .ssh"
    )
    assert done.stdout == ".ssh\n", done.stderr


def test_the_upper_directory_cannot_be_reached(box):
    box.sh("echo mark-4711 > ~/marker")
    over = box.directory / "over"
    assert (over / "upper/marker").read_text() == "mark-4711\n"
    done = box.sh(f"ls {over} {box.directory}; echo x > {over}/upper/marker; echo done")
    assert done.stdout == "done\n"
    assert (over / "upper/marker").read_text() == "mark-4711\n"


def test_no_attribute_of_the_overlay_can_be_set(box, home):
    (home / "real").mkdir()
    (home / "real/x").write_text("x\n")
    program = (
        "import os\nos.mkdir(os.path.expanduser('~/d'))\n"
        "for name in ('opaque', 'redirect', 'origin', 'metacopy'):\n"
        "    try: os.setxattr(os.path.expanduser('~/d'), f'user.overlay.{name}', b'/')\n"
        "    except OSError as error: print(name, error.errno)\n"
    )
    done = box.run(python_for_all(), "-c", program)
    assert done.returncode == 0, done.stderr
    upper = box.directory / "over/upper/d"
    found = {name for name in os.listxattr(upper) if name.count(".") == 2}
    assert found <= {"user.overlay.opaque"}  # which the kernel itself sets
    assert box.sh("ls ~/d").stdout == ""


def test_a_home_that_can_be_written_has_no_overlay(project, home, tmp_path):
    (home / ".config/laconic").mkdir(parents=True)
    (home / ".config/laconic/config.toml").write_text('[box]\nwrite = ["~/"]\n')
    environ = dict(os.environ)
    plan = make_plan(str(project), read_settings(environ, project), environ)
    assert plan.overlays == []
    assert tmp_path  # the project is beside the home


def test_a_cache_elsewhere_that_a_variable_names_has_an_overlay_too(box, home, monkeypatch):
    place = fit_directory()
    try:
        (place / "cargo").mkdir()
        (place / "cargo/config").write_text("c\n")
        monkeypatch.setenv("CARGO_HOME", str(place / "cargo"))
        box.run("true")
        script = "cat $CARGO_HOME/config; echo x > $CARGO_HOME/new; cat $CARGO_HOME/new"
        assert box.sh(script).stdout == "c\nx\n"
        assert os.listdir(place / "cargo") == ["config"]
        assert box.sh("cat $CARGO_HOME/new").stdout == "x\n"
    finally:
        subprocess.run(["rm", "-rf", place], check=True)
    assert home


def test_a_home_below_that_of_the_account_has_one_and_so_has_the_account(can_box, monkeypatch):  # noqa: ARG001
    """Java takes the home from the password file, whatever HOME says."""
    account = Path(pwd.getpwuid(os.getuid()).pw_dir)
    if not os.access(account, os.W_OK):
        pytest.skip("the account has no home")
    place = Path(tempfile.mkdtemp(prefix="laconic-home-", dir=account))
    try:
        project = place / "home/p"
        project.mkdir(parents=True)
        subprocess.run(["git", "init", "-q", project], check=True)
        monkeypatch.setenv("HOME", str(place / "home"))
        monkeypatch.setenv("XDG_STATE_HOME", str(place / "home/.local/state"))
        other = account / f"{place.name}-other"
        script = f"echo a > {other}; echo b > ~/own; echo c > c; cat {other} ~/own c"
        done = subprocess.run(
            [*LACONIC, "run", "--box", "bash", "-c", script], cwd=project, capture_output=True,
            text=True, check=False,
        )  # fmt: skip
        assert done.stdout.startswith("a\nb\nc\n"), done.stderr
        assert f"[laconic: {other}, ~/own were written " in done.stdout + done.stderr
        assert not other.exists()
        assert sorted(os.listdir(project.parent)) == [".local", "p"]
        assert os.listdir(project) == [".git", "c"]
        keep = [*LACONIC, "box", "keep", project.parent / "own", other]
        subprocess.run(keep, cwd=project, check=True, capture_output=True)
        assert (project.parent / "own").read_text() + other.read_text() == "b\na\n"
    finally:
        subprocess.run(["rm", "-rf", place, f"{place}-other"], check=True)


def test_the_first_box_of_a_machine_has_the_home_at_its_path(project, home, can_box):  # noqa: ARG001
    done = subprocess.run(
        [*LACONIC, "box", "--raw", "bash", "-c", "echo $HOME"], cwd=project, capture_output=True,
        text=True, check=False,
    )  # fmt: skip
    assert done.stdout == f"{home}\n"
    assert not [p for p in Path(home, ".local/state/laconic/box").iterdir() if "probe" in p.name]

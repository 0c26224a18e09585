"""Both ways to make a box give the same one: laconic's own, and bubblewrap where only it may."""

from __future__ import annotations

import os
import re
import shutil
import signal
import socket
import subprocess
from pathlib import Path

import hatch_build
import pytest

from box.conftest import change_part
from box.installation import ONLY_BUBBLEWRAP, ROOT, fit_directory, missing_bubblewrap
from laconic.box.launch import open_box
from laconic.settings.load import isolated_settings, read_settings
from warm_server import wait_for

OWN, BUBBLEWRAP = "laconic-box", "bwrap"
# What a command can find out about its privileges, and what it can do.
LOOKS = r"""
grep -E '^(Uid|Gid|Cap.*|NoNewPrivs|Seccomp):' /proc/self/status
ls -A ~/.ssh; cat ~/.netrc; env | sort; pwd; id
ls /dev; ls -l /dev/fd /dev/stdin /dev/ptmx | awk '{print $NF}'; echo x > /dev/null; cat /dev/null
unshare --user true 2>&1
touch .git/hooks/x /etc/x made 2>&1; mkdir .git/hooks/y 2>&1
(exec 3<> /dev/tcp/127.0.0.1/9) 2>&1; (exec 3<> /dev/tcp/192.0.2.1/9) 2>&1
"""
MOUNTS = "awk '{print $5, substr($6, 1, 2)}' /proc/self/mountinfo"


@pytest.fixture(scope="module")
def only_bubblewrap(tmp_path_factory, can_box):  # noqa: ARG001 - it may skip
    """laconic-box as it is where only bubblewrap may have namespaces."""
    if lacking := missing_bubblewrap():
        pytest.skip(lacking)
    path = tmp_path_factory.mktemp("only") / "laconic-box"
    assert hatch_build.compile_box(ROOT, path, ONLY_BUBBLEWRAP) == ""
    return str(path)


def opened(box, settings=None):
    environ = dict(os.environ)
    settings = settings or isolated_settings(environ)
    return open_box(str(box.project), str(box.project), settings, environ)


def run(words, box, script, **options):
    command = [*words, "bash", "-c", script]
    options |= {"capture_output": True, "text": True, "timeout": 60}
    return subprocess.run(command, check=False, cwd=box.project, **options)


def test_laconic_makes_the_box_itself(box):
    assert box.sh("cat /proc/1/comm").stdout == f"{OWN}\n"


def test_bubblewrap_makes_the_same_box(box, only_bubblewrap, home):
    (home / ".ssh").mkdir()
    (home / ".netrc").write_text("secret\n")
    own, other = (opened(box).words for _ in range(2))
    other[0] = only_bubblewrap
    found, by_bubblewrap = (run(words, box, LOOKS).stdout for words in (own, other))
    assert found == by_bubblewrap
    assert "made" in os.listdir(box.project)


def test_what_bubblewrap_makes_read_only_is_so_in_ours(box, only_bubblewrap, home):
    (home / ".ssh").mkdir()
    own, other = (opened(box).words for _ in range(2))
    other[0] = only_bubblewrap
    ours, theirs = (
        dict(line.split() for line in run(words, box, MOUNTS).stdout.splitlines())
        for words in (own, other)
    )
    # the first has the same files, see above, by other mounts; the last are sockets of other tests
    apart = ("/dev", "/proc", "/var/lib/laconic-escapes-")
    theirs = {point: flag for point, flag in theirs.items() if not point.startswith(apart)}
    assert str(home / ".ssh") in theirs
    assert theirs.keys() <= ours.keys()
    assert [p for p, flag in theirs.items() if flag == "ro" and ours[p] != "ro"] == []
    assert ours["/proc/sys"] == "ro"


def test_nobody_changes_a_device(box):
    """As root it would be the device of the machine."""
    before = os.stat("/dev/null").st_mode
    assert box.sh("chmod 0600 /dev/null").returncode != 0
    assert os.stat("/dev/null").st_mode == before


def with_a_hostname(words):
    """Ask for something that only bubblewrap knows."""
    more = b"--die-with-parent\0--hostname\0other\0"
    change_part(words[1], "args", lambda part: part.replace(b"--die-with-parent\0", more))
    return words


def test_what_laconic_cannot_do_is_left_to_bubblewrap(box, only_bubblewrap):  # noqa: ARG001
    words = with_a_hostname(opened(box).words)
    assert run(words, box, "cat /proc/1/comm; hostname").stdout == f"{BUBBLEWRAP}\nother\n"


def test_without_bubblewrap_what_cannot_be_done_is_not_run(box):
    words = with_a_hostname(opened(box).words)
    words[2] = ""
    done = run(words, box, "touch ran")
    assert done.returncode == 125
    assert "--hostname is not known, and bubblewrap, which may be allowed to, is not" in done.stderr
    assert not (box.project / "ran").exists()


OLD_KERNEL = """
#include <string.h>
#include <sys/utsname.h>
int uname(struct utsname *found) { strcpy(found->release, "6.1.0"); return 0; }
"""
CGROUPS = Path("/sys/fs/cgroup/pids")


@pytest.mark.skipif(not os.access(CGROUPS, os.W_OK), reason=f"{CGROUPS} cannot be written")
def test_the_second_attempt_has_the_limit_of_the_first(box, tmp_path, only_bubblewrap):  # noqa: ARG001
    """Where a namespace of processes has none of its own."""
    (tmp_path / "old.c").write_text(OLD_KERNEL)
    program = tmp_path / "laconic-box"
    options = ("-Duname=old_uname", str(tmp_path / "old.c"))
    assert hatch_build.compile_box(ROOT, program, *options) == ""
    words = with_a_hostname(opened(box).words)
    words[0] = str(program)
    found = run(words, box, "cat /proc/1/comm /proc/self/cgroup").stdout
    assert found.startswith(f"{BUBBLEWRAP}\n")
    name = re.search(r":pids:.*/(laconic-box-\d+)\n", found)[1]
    wait_for(lambda: not (CGROUPS / name).exists())


def test_a_caller_that_ignores_the_end_of_its_children(box):
    def ignore():
        signal.signal(signal.SIGCHLD, signal.SIG_IGN)

    done = run(opened(box).words, box, "grep SigIgn /proc/self/status; exit 3", preexec_fn=ignore)
    assert done.returncode == 3
    assert int(done.stdout.split()[1], 16) >> (signal.SIGCHLD - 1) & 1 == 1, "so does the command"


def test_nothing_undefined_is_done(box, tmp_path):
    """The box is made by a program that ends at once if it does that."""

    def ignore():
        signal.signal(signal.SIGRTMAX, signal.SIG_IGN)

    program = tmp_path / "laconic-box"
    options = ("-fsanitize=undefined", "-fsanitize-undefined-trap-on-error")
    assert hatch_build.compile_box(ROOT, program, *options) == ""
    words = opened(box).words
    words[0] = str(program)
    done = run(words, box, f"{LOOKS}getent hosts example.org; exit 3", preexec_fn=ignore)
    assert done.returncode == 3, done


def test_no_privilege_comes_back(box):
    found = box.sh("grep -E '^(Cap(Inh|Prm|Eff|Bnd|Amb)|NoNewPrivs|Seccomp):' /proc/self/status")
    values = dict(line.split() for line in found.stdout.splitlines())
    assert {values.pop("NoNewPrivs:"), values.pop("Seccomp:")} == {"1", "2"}
    assert set(values.values()) == {"0000000000000000"}
    assert box.sh("unshare --user true").returncode != 0


def test_a_guarded_place_that_became_a_link_ends_it(box):
    """Between the plan and the mount, another box may have put a link there."""
    one = opened(box)
    (box.project / ".git/hooks").rename(box.project / "elsewhere")
    (box.project / ".git/hooks").symlink_to("../elsewhere")
    done = run(one.words, box, "touch ran")
    assert done.returncode == 125
    assert not (box.project / "ran").exists()


def test_processes_are_limited(box):
    """As root RLIMIT_NPROC counts for nothing; since Linux 6.14 a namespace has its own limit."""
    found = box.run("python3", "-c", _FORKS, timeout=120)
    assert 1000 < int(found.stdout) <= 2300


_FORKS = """
import os, signal, time
pids = []
try:
    for _ in range(3000):
        pid = os.fork()
        if pid == 0:
            time.sleep(60)
            os._exit(0)
        pids.append(pid)
except OSError:
    pass
print(len(pids))
for pid in pids:
    os.kill(pid, signal.SIGKILL)
"""


def test_the_very_first_box_hides_where_laconic_keeps_its_files(box):
    state = os.environ.get("XDG_STATE_HOME") or str(Path.home() / ".local/state")
    assert not Path(state, "laconic").exists()
    assert box.sh(f"ls {state}/laconic").stdout == ""
    assert Path(state, "laconic").exists()


@pytest.fixture(params=[OWN, BUBBLEWRAP])
def by(request, box):  # noqa: ARG001 - it may skip
    """Each way to make a box: a function of the words that start one."""
    if request.param == OWN:
        return lambda words: [*words[:2], ""]
    program = request.getfixturevalue("only_bubblewrap")
    return lambda words: [program, *words[1:]]


@pytest.fixture
def outside_of_tmp():
    place = fit_directory()
    yield place
    shutil.rmtree(place, ignore_errors=True)


def test_what_is_gone_when_the_box_is_made_needs_no_mount(
    box, home, outside_of_tmp, by, monkeypatch
):
    """Sockets, keys, caches and environments come and go, between the plan and the box as well."""
    folders = [home / ".aws", outside_of_tmp / "go-build", outside_of_tmp / "bin/deep"]
    files = [home / ".netrc", box.project.parent / "other/.env", box.project / ".envrc"]
    files += [box.project / ".vscode/settings.json", outside_of_tmp / "file"]
    listening = outside_of_tmp / "listening"
    for path in folders:
        path.mkdir(parents=True)
    for path in files:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("secret\n")
    monkeypatch.setenv("GOCACHE", str(folders[1]))
    settings = home / ".config/laconic/config.toml"
    settings.parent.mkdir(parents=True, exist_ok=True)
    settings.write_text(f'[box]\nread = ["{files[-1]}"]\nwrite = ["{folders[2]}"]\n')
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(str(listening))
        server.listen()
        words = by(opened(box, read_settings(dict(os.environ), box.project)).words)
    for path in (*files, listening):
        path.unlink()
    for path in (*folders, box.project / ".vscode"):
        path.rmdir()
    done = run(words, box, f"ls -A {home}; echo made > made; echo ran")
    assert (done.stdout.split()[-1:], done.returncode) == (["ran"], 0), done.stderr
    assert (box.project / "made").exists()


def test_a_guarded_file_that_was_gone_may_not_come_back(box, by):
    (box.project / ".envrc").write_text("true\n")
    words = by(opened(box).words)
    (box.project / ".envrc").unlink()
    done = run(words, box, "echo evil > .envrc; echo ran")
    assert done.stdout == "ran\n"
    assert "the box moved .envrc away" in done.stderr
    assert not (box.project / ".envrc").exists()

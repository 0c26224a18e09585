"""What the plan of a box says, which changes nothing by being made."""

from __future__ import annotations

import os
import socket
import struct
import subprocess
import time
from glob import glob
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from box.conftest import LACONIC, git
from laconic.box import seccomp
from laconic.box.bubblewrap import expected_mounts
from laconic.box.environment import kept
from laconic.box.look import Look, matching
from laconic.box.nested import find_nested
from laconic.box.places import guarded_names, hidden_below, hidden_names
from laconic.box.plan import make_plan
from laconic.box.repository import Repository, gitlinks
from laconic.errors import LaconicError
from laconic.git.config import NOT_UNDERSTOOD, configuration
from laconic.settings.load import read_settings

VARIABLES = Path(__file__).parents[1] / "cases/box/variables.txt"


def plan_of(project, **variables):
    environ = dict(os.environ) | variables
    return make_plan(str(project), read_settings(environ, project), environ)


def configure(home, text):
    (home / ".config/laconic").mkdir(parents=True)
    (home / ".config/laconic/config.toml").write_text(text)


def tree(*places):
    return sorted((str(p), p.lstat().st_mtime_ns) for place in places for p in place.rglob("*"))


# -- variables -------------------------------------------------------------------------------------


@pytest.mark.parametrize("line", [x for x in VARIABLES.read_text().splitlines() if x[:1] in "ny"])
def test_variables_with_secrets_are_taken_out_and_others_stay(line):
    if not line:
        return
    answer, _, assignment = line.partition(" ")
    name, _, value = assignment.partition("=")
    assert (name in kept({name: value})) == (answer == "yes")


@pytest.mark.parametrize(
    ("settings_of_npm", "has_retries"),
    [
        ("", False), ("registry=https://elsewhere.example.net/npm/", False),
        ("; registry=https://npm.example.org", False),
        ("@x:registry=https://npm.example.org", False),
        ("registry = https://a:b@npm.example.org/npm/", True),
        ("registry=http://npm.example.org", False), ("registry=http://plain.example.org/", True),
        ("registry=https://npm.example.org:8443/", False),
    ],
)  # fmt: skip
def test_npm_tries_again_where_its_registry_is_listed_only(
    settings_of_npm, has_retries, project, home, tmp_path
):
    npm = tmp_path / "prefix/lib/node_modules/npm"
    defined = npm / "node_modules/@npmcli/config/lib/definitions/definitions.js"
    defined.parent.mkdir(parents=True)
    defined.write_text(
        "  registry: new Definition('registry', {\n    default: 'https://other.example.com/',\n"
    )
    (npm / "bin").mkdir()
    (npm / "bin/npm-cli.js").touch(mode=0o755)
    (tmp_path / "prefix/bin").mkdir()
    (tmp_path / "prefix/bin/npm").symlink_to("../lib/node_modules/npm/bin/npm-cli.js")
    (home / ".npmrc").write_text(f"{settings_of_npm}\n")
    given = {"PATH": f"{tmp_path}/prefix/bin", "HOME": str(home)}
    configure(home, '[box]\nhosts = ["npm.example.org", "plain.example.org:80"]\n')
    found = plan_of(project, **given)
    assert ("npm_config_fetch_retries" not in found.variables) == has_retries
    variable = {"npm_config_registry": "https://npm.example.org"}
    assert "npm_config_fetch_retries" not in plan_of(project, **given, **variable).variables
    variable = {"npm_config_fetch_retries": "5"}
    assert plan_of(project, **given, **variable).variables.items() >= variable.items()


def test_a_registry_that_nobody_knows_may_be_listed(project, home, tmp_path):
    configure(home, '[box]\nhosts = ["npm.example.org"]\n')
    found = plan_of(project, PATH=str(tmp_path), HOME=str(home))
    assert "npm_config_fetch_retries" not in found.variables


def test_a_variable_that_the_user_names_stays(project, home):
    configure(home, '[box]\nkeep_env = ["MY_*"]\n')
    found = plan_of(project, MY_TOKEN="x", OTHER_TOKEN="y")
    assert found.variables["MY_TOKEN"] == "x"
    assert "OTHER_TOKEN" in found.dropped


# -- places ----------------------------------------------------------------------------------------


def test_making_a_plan_changes_nothing(project, home):
    plan_of(project)  # what is computed once is kept
    before = tree(project, home)
    plan_of(project)
    assert tree(project, home) == before


def test_the_lists_have_no_name_twice_and_none_that_leads_elsewhere():
    for names in (hidden_names(), guarded_names()):
        assert len(names) == len(set(names))
        assert not [name for name in names if ".." in name.split("/")]


def test_a_secret_directory_that_is_a_link_is_hidden_where_it_leads(project, home, tmp_path):
    keys = tmp_path / "keys"
    keys.mkdir()
    (home / ".ssh").symlink_to(keys)
    # A private /tmp hides it as well; what is shown of it does not show the keys.
    configure(home, f'[box]\nread = ["{tmp_path}"]\n')
    assert str(keys) in plan_of(project).hidden


def test_places_that_variables_name_are_hidden(project, home):
    (home / "kube.yaml").write_text("x")
    assert str(home / "kube.yaml") in plan_of(project, KUBECONFIG=str(home / "kube.yaml")).hidden


def test_what_is_in_a_hidden_directory_is_not_hidden_once_more(project, home):
    for name in (".aws", ".aws-more"):
        (home / name).mkdir()
    (home / ".aws/credentials").write_text("x")
    environ = {"AWS_SHARED_CREDENTIALS_FILE": str(home / ".aws/credentials")}
    hidden = plan_of(project, **environ).hidden
    assert str(home / ".aws") in hidden
    assert str(home / ".aws/credentials") not in hidden


def test_what_root_in_the_box_could_not_reach_need_not_be_hidden(project, tmp_path, home):
    """bubblewrap could not put anything there, and there would be no box at all."""
    if os.geteuid() != 0:
        pytest.skip("only root passes the closed directories of others")
    closed, kube = tmp_path / "closed", tmp_path / "closed/kube"
    closed.mkdir()
    kube.write_text("x")
    configure(home, f'[box]\nread = ["{tmp_path}"]\n')
    assert str(kube) in plan_of(project, KUBECONFIG=str(kube)).hidden
    os.chown(closed, 65534, 65534)
    closed.chmod(0o700)
    assert str(kube) not in plan_of(project, KUBECONFIG=str(kube)).hidden


def test_sockets_in_the_project_are_hidden(project):
    with socket.socket(socket.AF_UNIX) as server:
        os.chdir(project)
        server.bind(str(project / "s")) if len(str(project)) < 90 else server.bind("s")
        server.listen()
        wanted = str(project / "s") in Path("/proc/net/unix").read_text()
        assert (str(project / "s") in plan_of(project).hidden) == wanted


def test_settings_add_places(project, home, tmp_path):
    for name in ("out", "private"):
        (tmp_path / name).mkdir()
    (home / ".netrc").write_text("x")
    (home / "private").mkdir()
    text = f'write = ["{tmp_path}/out"]\nhide = ["~/private"]\nread = ["~/.netrc"]'
    configure(home, f"[box]\n{text}\n")
    found = plan_of(project)
    assert str(tmp_path / "out") in found.write
    assert str(home / "private") in found.hidden
    assert str(home / ".netrc") not in found.hidden


def test_paths_of_the_settings_are_guarded_and_hidden(project, home):
    (project / "keep/deep").mkdir(parents=True)
    for name in ("keep/deep/x.lock", "token.txt"):
        (project / name).write_text("x")
    configure(home, '[paths]\nnever_write = ["**/*.lock"]\nsecret = ["token.*"]\n')
    found = plan_of(project)
    assert str(project / "keep/deep/x.lock") in found.guarded
    assert str(project / "keep/deep") in found.pinned
    assert str(project / "token.txt") in found.hidden


def test_an_untrusted_project_can_only_hide(project, home):
    (home / "private").mkdir()
    (project / ".laconic").mkdir()
    (project / ".laconic/config.toml").write_text(
        '[box]\nwrite = ["/etc"]\nread = ["~/.ssh"]\nnetwork = "host"\nkeep_env = ["*"]\n'
        'hide = ["~/private"]\n'
    )
    found = plan_of(project, A_TOKEN="x")
    assert found.write == [str(project)]
    assert not found.has_network
    assert "A_TOKEN" in found.dropped
    assert str(home / "private") in found.hidden


def test_every_directory_on_the_way_to_something_guarded_is_pinned(project):
    (project / ".github/workflows").mkdir(parents=True)
    git(project, "config", "core.hooksPath", "tools/git/hooks")
    (project / "tools/git/hooks").mkdir(parents=True)
    found = plan_of(project)
    pinned = {Path(path).relative_to(project).as_posix() for path in found.pinned}
    assert {".git", ".github", "tools", "tools/git"} <= pinned
    assert {f"p{path}" for path in found.pinned} <= set(expected_mounts(found, ()))


@pytest.mark.parametrize("name", ["", "..", "../.."])
def test_a_home_and_what_is_above_it_is_not_a_project(home, name):
    with pytest.raises(LaconicError):
        plan_of(home / name)


def test_root_does_not_box_the_project_of_another_user(project):
    if os.geteuid() != 0:
        pytest.skip("only root can")
    os.chown(project, 65534, 65534)
    with pytest.raises(LaconicError, match="belongs to user 65534"):
        plan_of(project)


def test_it_can_be_printed(project):
    for words in (["show"], ["show", "--json"]):
        done = subprocess.run(
            [*LACONIC, "box", *words], cwd=project, capture_output=True, text=True, check=True
        )
        assert f"{project}/.git/config" in done.stdout


def test_it_names_every_host_also_where_there_are_many(project, home):
    hosts = [f"host{number}.example.org" for number in range(9)]
    config = home / ".config/laconic/config.toml"
    config.parent.mkdir(parents=True, exist_ok=True)
    config.write_text(f"[box]\nhosts = {hosts}\n")
    words = [*LACONIC, "box", "show"]
    shown = subprocess.run(words, cwd=project, capture_output=True, text=True, check=True).stdout
    assert [host for host in hosts if f"  {host}\n" not in shown] == []


# -- git -------------------------------------------------------------------------------------------


def repository(project):
    return Repository(str(project), "/nonexistent", {})


def test_a_submodule_and_its_git_directory_are_guarded(project, tmp_path):
    inner = tmp_path / "inner"
    git(tmp_path, "clone", "-q", project, inner)
    git(
        project,
        "-c",
        "protocol.file.allow=always",
        "submodule",
        "--quiet",
        "add",
        str(inner),
        "a b/sub",
    )
    found = repository(project)
    assert found.gitlinks == {"a b/sub"}
    assert f"{project}/.git/modules/a b/sub" in found.directories
    assert f"{project}/a b/sub/.git" in found.guarded
    assert f"{project}/.git/modules/a b/sub/hooks" in found.guarded


@pytest.mark.parametrize("version", [2, 3, 4])
def test_links_in_every_version_of_the_index(project, version):
    head = git(project, "rev-parse", "HEAD").stdout.strip()
    for name in ("link", "some/long/path/link2", "z"):
        git(project, "update-index", "--add", "--cacheinfo", f"160000,{head},{name}")
    for number in range(50):
        git(project, "update-index", "--add", "--cacheinfo", f"100644,{git(project, 'hash-object', 'a').stdout.strip()},f{number}")  # fmt: skip  # noqa: E501
    git(project, "update-index", "--index-version", str(version))
    if version == 3:
        (project / "n").write_text("n")
        git(project, "add", "-N", "n")
    found = gitlinks(str(project), [f"{project}/.git"])
    assert found == {"link", "some/long/path/link2", "z"}


def test_a_worktree_names_what_it_shares(project, tmp_path):
    git(project, "worktree", "add", "-q", str(tmp_path / "tree"))
    found = repository(tmp_path / "tree")
    assert found.outside == [f"{project}/.git"]
    assert f"{project}/.git/worktrees/tree/commondir" in found.guarded


@pytest.mark.parametrize(
    "text", ["gitdir: {other}/.git", "gitdir: {other}", "gitdir: /etc", "gitdir: ../x/.git\0"]
)
def test_a_git_file_cannot_name_what_belongs_to_another(project, tmp_path, text):
    other = tmp_path / "x"
    other.mkdir()
    (other / ".git").write_text(text.format(other=project))
    assert repository(other).outside == []


def test_a_shared_directory_that_is_not_around_the_worktree_is_not_believed(project, tmp_path):
    fake = tmp_path / "fake"
    (fake / ".git").mkdir(parents=True)
    (fake / ".git/HEAD").write_text("ref: refs/heads/main\n")
    (fake / ".git/commondir").write_text(f"{project}/.git\n")
    assert repository(fake).outside == []


def test_programs_and_files_that_the_configuration_names_are_guarded(project):
    (project / "tools").mkdir()
    for name in ("tools/clean.sh", "more.gitconfig"):
        (project / name).write_text("x")
    git(project, "config", "filter.x.clean", "./tools/clean.sh %f")
    git(project, "config", "include.path", "../more.gitconfig")
    found = repository(project).guarded
    assert f"{project}/tools/clean.sh" in found
    assert f"{project}/more.gitconfig" in found


KEYS = st.text("abcdefg", min_size=1, max_size=5)
VALUES = st.text(st.characters(codec="ascii", exclude_characters="\0\r"), max_size=20)


@settings(max_examples=40, deadline=None)  # each starts git
@given(st.lists(st.tuples(KEYS, KEYS, VALUES), max_size=5))
def test_the_configuration_is_read_as_git_reads_it(tmp_path_factory, entries):
    place = tmp_path_factory.mktemp("config")
    file = place / "config"
    for section, key, value in entries:
        words = ["git", "config", "--file", file, "--add", f"{section}.{key}", value]
        subprocess.run(words, check=False, capture_output=True)
    listed = subprocess.run(
        ["git", "config", "--file", file, "--list", "-z"],
        check=False,
        capture_output=True,
        text=True,
    )
    wanted = [one.split("\n", 1) for one in listed.stdout.split("\0") if one]
    found = [(key, value.strip()) for key, value in configuration(str(file))]
    assert found == [(key, value.strip()) for key, value in wanted]


PIECES = st.sampled_from(
    ["[core]", '[a "b c"]', "fsmonitor", "bare", " = ", "=", "x", '"', "\\", "\n", "\n", " ", "\t",
     "#", ";", "\r\n", "[include]", "path", "\ufeff", "-", ".", "[", "]", "1", "false", "\r"]
)  # fmt: skip


@settings(max_examples=40, deadline=None)  # each starts git
@given(st.lists(PIECES, max_size=14).map("".join))
def test_whatever_git_understands_is_understood_the_same(tmp_path_factory, text):
    file = tmp_path_factory.mktemp("config") / "config"
    file.write_bytes(text.encode())
    listed = subprocess.run(
        ["git", "config", "--file", file, "--no-includes", "--list", "-z"],
        check=False,
        capture_output=True,
    )
    found = list(configuration(str(file)))
    if listed.returncode:
        assert NOT_UNDERSTOOD in dict(found)
        return
    wanted = [one.split("\n", 1)[0] for one in listed.stdout.decode().split("\0") if one]
    assert [key for key, _ in found] == wanted or NOT_UNDERSTOOD in dict(found)


@settings(max_examples=40, deadline=None)  # each starts git
@given(st.text(max_size=200))
def test_no_text_of_a_configuration_is_too_much(tmp_path_factory, text):
    file = tmp_path_factory.mktemp("config") / "config"
    file.write_bytes(text.encode("utf-8", "surrogatepass"))
    assert list(configuration(str(file))) is not None


HARMFUL = (
    "[core]\nfsmonitor = x", "[core] fsmonitor=x", "[a] [core] fsmonitor = x",
    "[CORE]\nFsMonitor = x", "[include]\npath = x", '[includeIf "gitdir:/"]\npath = x',
    "[alias]\nx = !y", "[core]\npager = x", "\ufeff[core]\nfsmonitor = x",
    "[core]\n\tbare = false\n\tfsmonitor = \\\nx", "[diff]\nexternal = x",
    '[filter "x"]\nclean = y', "[core]\nworktree = /etc", "[core\nfsmonitor = x",
    "[core]\nworktree = ../../out/..",
    "[unheard]\nof = 1", "[core]\n# \\\nfsmonitor = x", "[core]\nbare = false # \\\nfsmonitor = x",
    "[core]\nbare = false\r\nfsmonitor = x\r\n", "[core]fsmonitor=x", "[core]\nbare\nfsmonitor=x",
    '[submodule "x"]\nupdate = !y', "[gpg]\nprogram = x", "[credential]\nhelper = x",
    '[remote "o"]\nuploadpack = x', '[url "ext::x"]\ninsteadOf = y', "[extensions]\nunknown = 1",
)  # fmt: skip


@pytest.mark.parametrize("text", HARMFUL)
def test_a_new_repository_that_could_run_a_program_is_found(tmp_path, text):
    place = tmp_path / "p/n"
    place.mkdir(parents=True)
    (tmp_path / "elsewhere/x").mkdir(parents=True)
    (tmp_path / "p/out").symlink_to("../elsewhere/x")
    git(place, "init", "-q")
    with (place / ".git/config").open("a", encoding="utf-8") as file:
        file.write(text)
    assert list(find_nested(str(tmp_path / "p"), [], 0)) == [str(place / ".git/config")]


def test_directories_that_only_have_names_like_git_s_stay(tmp_path):
    for name in ("src/hooks", "src/config", "src/objects", "src/refs"):
        (tmp_path / name).mkdir(parents=True)
        (tmp_path / name / "use.ts").write_text("x")
    assert list(find_nested(str(tmp_path), [], 0)) == []


def test_what_lies_deeper_than_a_path_can_be_long_is_found(tmp_path):
    (tmp_path / "x").mkdir()
    before = os.getcwd()
    os.chdir(tmp_path / "x")
    for _ in range(30):
        os.mkdir("d" * 200)
        os.chdir("d" * 200)
    os.mkdir(".vscode")
    os.chdir(before)
    (found,) = find_nested(str(tmp_path), [], 0)
    assert found.startswith(str(tmp_path / "x"))
    subprocess.run(["rm", "-rf", tmp_path / "x"], check=True)


def test_a_pipe_in_place_of_a_file_is_not_waited_for(tmp_path):
    git(tmp_path, "init", "-q", "n")
    for name in ("config.worktree", "commondir", "git-rebase-todo"):
        os.mkfifo(tmp_path / "n/.git" / name)
    found = {Path(path).name for path in find_nested(str(tmp_path), [], 0)}
    assert found == {"config.worktree", "commondir"}


def test_a_plain_new_repository_stays(tmp_path, project):
    place = tmp_path / "p"
    place.mkdir()
    git(place, "init", "-q", "n")
    git(place, "clone", "-q", str(project), "c")
    assert list(find_nested(str(place), [], 0)) == []


# -- system calls ----------------------------------------------------------------------------------


def verdict(code, number, arguments=(), architecture=0xC000003E):
    """Run a filter as the kernel does (man 2 bpf, the classic kind); what it returns."""
    data = struct.pack("=IIQ6Q", number, architecture, 0, *[*arguments, 0, 0, 0, 0, 0, 0][:6])
    lines = [struct.unpack_from("=HBBI", code, pos) for pos in range(0, len(code), 8)]
    pos, loaded = 0, 0
    while True:
        kind, yes, no, value = lines[pos]
        pos += 1
        if kind == 0x20:
            loaded = struct.unpack_from("=I", data, value)[0]
        elif kind == 0x06:
            return value
        else:
            held = {0x15: loaded == value, 0x35: loaded >= value, 0x45: bool(loaded & value)}[kind]
            pos += yes if held else no


ALLOWED = 0x7FFF0000


@pytest.mark.parametrize(
    ("number", "arguments", "is_allowed"),
    [
        (0, (), True), (59, (), True), (41, (1, 1, 0), True), (41, (2, 1, 0), True),
        (41, (40, 1, 0), False), (53, (1, 1, 0), True), (53, (40, 1, 0), False),
        (41, (16, 3, 0), True), (41, (17, 3, 0), False), (16, (0, 0x5412), False),
        (16, (0, 0x5412 | 1 << 32), False), (16, (0, 0x5401), True), (90, (0, 0o755), True),
        (90, (0, 0o4755), False), (90, (0, 0o2755), False), (257, (0, 0, 0, 0o644), True),
        (257, (0, 0, 0, 0o4644), False), (425, (), False), (437, (), False), (250, (), False),
        (0x40000000, (), False), (165, (), False), (321, (), False), (435, (), True),
    ],
)  # fmt: skip
def test_the_filter(number, arguments, is_allowed):
    code = seccomp.program("x86_64")
    assert (verdict(code, number, arguments) == ALLOWED) == is_allowed


def test_calls_of_another_kind_of_machine_are_missing():
    assert verdict(seccomp.program("x86_64"), 0, architecture=0x40000003) != ALLOWED
    assert verdict(seccomp.program("aarch64"), 63, architecture=0xC00000B7) == ALLOWED
    with pytest.raises(LaconicError):
        seccomp.program("pdp11")


def test_cargo_finds_its_things_where_they_are_outside(project, home):
    (home / ".cargo").mkdir()
    (home / ".rustup").mkdir()
    environ = {"HOME": str(home), "RUSTUP_HOME": "/opt/rustup"}
    plan = make_plan(str(project), read_settings(environ, project), environ)
    assert plan.variables["CARGO_HOME"] == str(home / ".cargo")
    assert plan.variables["RUSTUP_HOME"] == "/opt/rustup"


def test_names_that_count_at_the_top_of_a_repository_stay_in_packages(box):
    """`npm ci` and `cargo vendor` bring the files of other repositories along."""
    names = "/.travis.yml /.circleci/config.yml /.gitmodules /.pre-commit-config.yaml".split()
    for name in names:
        done = box.sh(f"d=$(dirname dep/p{name}); mkdir -p $d . && echo x > dep/p{name}")
        assert (done.returncode, done.stderr) == (0, ""), done.stderr
        assert (box.project / f"dep/p{name}").exists()
        box.sh(f"mkdir -p $(dirname .{name}); echo x > .{name}")
        assert not (box.project / name[1:]).exists()
    brought = "node_modules/ts-jest/.lintstagedrc"  # lint-staged looks where files are committed
    done = box.sh(f"mkdir -p node_modules/ts-jest dep; echo x | tee {brought} > dep/.lintstagedrc")
    assert brought not in done.stderr
    assert (box.project / brought).exists()
    assert not (box.project / "dep/.lintstagedrc").exists()
    for brought in (
        "node_modules/webpod/.idea",
        "node_modules/a/.vscode",
        "x/site-packages/p/.zed",
    ):
        done = box.sh(f"mkdir -p {brought} && echo x > {brought}/x")
        assert (done.returncode, done.stderr) == (0, "")
        assert (box.project / brought / "x").exists()
    for wanted in ("node_modules/a/.git/hooks/post-checkout", "node_modules/a/.envrc"):
        box.sh(f"mkdir -p $(dirname {wanted}); git init -q node_modules/a; echo x > {wanted}")
        assert not (box.project / wanted).exists()
    box.sh("mkdir dep/.vscode; touch dep/.vscode/x")  # an editor that opens this directory obeys it
    assert not (box.project / "dep/.vscode").exists()


def test_names_at_the_top_of_a_submodule_are_guarded(project, tmp_path):
    other = tmp_path / "other"
    other.mkdir()
    git(other, "init", "-q")
    (other / "f").write_text("f\n")
    git(other, "add", ".")
    git(other, "commit", "-qm", "f")
    git(project, "-c", "protocol.file.allow=always", "submodule", "add", "-q", str(other), "sub")
    assert str(project / "sub/.travis.yml") in plan_of(project).missing


@pytest.mark.parametrize("pause_s", [0, 0.06], ids=["at once", "once it is remembered"])
def test_what_a_server_remembers_of_a_home_is_what_is_there(tmp_path, pause_s):
    """Secrets that come, go, are exchanged, or lie in a directory that was closed until now."""
    wanted = hidden_below("~")
    changes = (
        lambda: (tmp_path / ".netrc").write_text("x"),
        lambda: (tmp_path / ".config/gh").mkdir(parents=True),
        lambda: (tmp_path / ".config/gh").rename(tmp_path / ".config/gone"),
        lambda: (tmp_path / ".new/agent").mkdir(parents=True),
        lambda: (tmp_path / ".new/agent/auth.json").write_text("x"),
        lambda: (tmp_path / "key.pem").symlink_to("elsewhere"),
        (tmp_path / ".netrc").unlink,
        lambda: (tmp_path / ".config").rename(tmp_path / "config"),
        lambda: (tmp_path / "config/gone").rename(tmp_path / "config/gh"),
        lambda: (tmp_path / ".config").symlink_to("config"),
        lambda: (tmp_path / ".new").rename(tmp_path / "old"),
    )
    for change in changes:
        matching(str(tmp_path), wanted)
        time.sleep(pause_s)
        matching(str(tmp_path), wanted)
        change()
        found = set(matching(str(tmp_path), wanted))
        assert found == set(Look().matching(str(tmp_path), wanted))


def test_paths_are_found_as_by_glob(tmp_path):
    for name in (".netrc", "a.pem", ".b.pem", ".x/auth.json", ".config/y/auth.json", "z/auth.json"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("")
    names = [name for name in hidden_names() if name[0] != "/"]
    by_glob = {path for name in names for path in glob(name, root_dir=tmp_path)}
    found = Look().matching(str(tmp_path), hidden_below("~"))
    assert {os.path.relpath(path, tmp_path) for path in found} == by_glob


def test_of_proc_only_what_is_shown_is_looked_at(project, home):
    look = Look()
    list(look.matching("/", hidden_below("/")))
    assert not [path for path in look.visited if path.startswith("/proc")]
    here = f"/proc/{os.getpid()}"
    assert f"{here}/environ" not in plan_of(project).hidden
    configure(home, f'[box]\nread = ["{here}"]\n')
    assert f"{here}/environ" in plan_of(project).hidden

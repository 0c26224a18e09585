"""Code of the project and of other places that programs would run, in real directories."""

from __future__ import annotations

import pytest

from laconic import engine
from laconic.knowledge.catalog import library
from laconic.policy.rules import Rules
from laconic.reading.decide import decide
from laconic.reading.facts import read_facts
from laconic.reading.places import Facts
from laconic.settings.load import process_environment, read_settings
from laconic.types import Effect, Verdict


def decided(command, cwd):
    request = engine.Request(command, str(cwd), process_environment())
    return engine.decide_request(request, read_settings())


def verdict(command, cwd):
    return decided(command, cwd).verdict


def test_a_directory_of_the_checkout_that_looks_like_a_repository_asks(project):
    for made in ("inner", "evil/objects", "evil/hooks", "linked"):
        (project / made).mkdir(parents=True)
    (project / "evil" / "HEAD").write_text("ref: refs/heads/main")
    (project / "linked" / "HEAD").write_text("ref: refs/heads/main")
    (project / "linked" / "commondir").write_text("../inner")
    (project / "short").symlink_to("evil/hooks")
    assert verdict("git status", project) == "allow"
    assert verdict("cd inner && git status", project) == "allow"
    for where in ("evil", "evil/hooks", "linked", "short"):
        assert verdict("git status", project / where) == "ask"
        assert verdict(f"cd {where} && git log", project) == "ask"
        assert verdict(f"git -C {project}/{where} diff", project) == "ask"
    assert verdict("git -C .. status", project / "inner") == "allow"
    assert verdict("git -C ../evil status", project / "inner") == "ask"


@pytest.mark.parametrize(
    ("text", "hook", "said"),
    [
        ('[core]\n\tbare = false\n[remote "origin"]\n\turl = https://x.example/a\n', "", "allow"),
        ('[core]\n\tfsmonitor = true\n[branch "main"]\n\tmerge = refs/heads/main\n', "", "allow"),
        ("[core]\n\tfsmonitor = touch x\n", "", "ask"),
        ("[alias]\n\tx = !touch x\n", "", "ask"),
        ("[include]\n\tpath = ../x\n", "", "ask"),
        ('[diff "x"]\n\ttextconv = ./x\n', "", "ask"),
        ('[remote "x"]\n\turl = ext::./x\n', "", "ask"),
        ("[core\n", "", "ask"),
        ("", "hooks/post-index-change", "ask"),
        ("", "hooks/pre-commit.sample", "allow"),
        ("", "commondir", "ask"),
    ],
)
def test_a_repository_inside_of_another_one_is_read(project, text, hook, said):
    git = project / "inner" / ".git"
    for name in ("objects", "hooks"):
        (git / name).mkdir(parents=True)
    (project / ".git").mkdir(exist_ok=True)
    (git / "HEAD").write_text("ref: refs/heads/main")
    (git / "config").write_text(text)
    if hook:
        (git / hook).write_text("")
    assert verdict("git -C inner status", project) == said
    assert verdict("cd inner && git status", project) == said
    assert verdict("git status", project / "inner") == said
    assert verdict("git status", project) == "allow"


def test_a_submodule_is_the_project_s_own(project):
    module = project / ".git" / "modules" / "inner"
    module.mkdir(parents=True)
    (module / "config").write_text("[core]\n\tfsmonitor = x\n")
    (project / "inner").mkdir()
    (project / "inner" / ".git").write_text("gitdir: ../.git/modules/inner\n")
    assert verdict("git -C inner status", project) == "allow"
    (project / "inner" / ".git").write_text("gitdir: ../other\n")
    assert verdict("git -C inner status", project) == "ask"


@pytest.mark.parametrize(
    ("entry", "command", "said"),
    [
        ("{}/tools", "frob", ("project-code",)),
        ("{}/tools", "cat a.txt", ("project-code", "unknown")),  # in place of the system's
        ("{}/tools", "xargs cat < a.txt", ("project-code", "unknown")),
        ("{}/tools", "env echo x", ("project-code", "unknown")),
        ("{}/tools", "echo x", ("reads",)),
        ("{}/tools", "python3 --version", ("project-code",)),
        ("{}/tools", "ls", ("reads",)),
        ("tools", "cat a.txt", ("project-code", "unknown")),
        ("tools", "cd inner; cat a.txt", ("project-code", "unknown")),  # the cd may fail
        (".", "cd tools && cat a.txt", ("project-code", "unknown")),
        ("", "cd tools; cat a.txt", ("project-code", "unknown")),
        ("/opt/x", "cat a.txt", ("reads",)),
    ],
)
def test_a_bare_name_that_path_finds_in_the_project_is_its_code(project, entry, command, said):
    (project / "tools").mkdir()
    for name in ("frob", "cat", "echo", "python3"):
        (project / "tools" / name).write_text("#!/bin/sh\n")
    environ = {"HOME": "/home/user", "PATH": f"{entry.format(project)}:/usr/bin:/bin"}
    facts = read_facts(str(project), environ)
    assert decide(command, library(), Rules("default"), facts).effects.words == said


def test_the_top_of_the_work_tree_is_known(project, monkeypatch):
    (project / "inner" / "deeper").mkdir(parents=True)
    to_the_top = 'cd "$(git rev-parse --show-toplevel)" && git status'
    assert verdict(to_the_top, project) == "allow"
    assert verdict(to_the_top, project / "inner" / "deeper") == "allow"
    assert verdict(f"git() {{ echo /x; }}; {to_the_top}", project) == "ask"
    monkeypatch.setenv("GIT_WORK_TREE", "/x")
    assert verdict(to_the_top, project) == "ask"


def test_a_repository_of_ones_own_without_a_work_tree_does_not_ask(tmp_path):
    (tmp_path / "objects").mkdir()
    (tmp_path / "HEAD").write_text("ref: refs/heads/main")
    assert verdict("git log", tmp_path) == "allow"


def test_a_list_of_languages_may_name_libraries(project):
    assert verdict("ast-grep run -p 'a($B)' -l js", project) == "allow"
    (project / "sgconfig.yml").write_text("customLanguages: {x: {libraryPath: evil.so}}")
    assert verdict("ast-grep run -p 'a($B)' -l js", project) == "ask"


@pytest.mark.parametrize(("command", "made"), [("hg status", ".hg"), ("jj log", ".jj/repo")])
def test_a_repository_of_another_kind_in_a_checkout_asks(project, tmp_path, command, made):
    assert verdict(command, project) == "allow"
    for root in (project, tmp_path / "own"):
        (root / made).mkdir(parents=True)
        (root / made / "config.toml").write_text("")
    assert verdict(command, project) == "ask"
    assert verdict(f"cd inner; {command}", project) == "ask"
    assert verdict(command, tmp_path / "own") == "allow"


def ruling(command, cwd):
    request = engine.Request(command, str(cwd), process_environment())
    found = engine.decide_request(request, read_settings())
    return found.verdict, {leaf.rule for leaf in found.leaves()}


@pytest.mark.parametrize(
    ("command", "made"),
    [
        ("make -n", "Makefile"),
        ("make -q all", "GNUmakefile"),
        ("make -n", "Makefile.sh"),
        ("make -n", "RCS/makefile,v"),
        ("eslint src/a.ts", "eslint.config.js"),
        ("eslint src/a.ts", "src/.eslintrc.js"),
        ("prettier --check src/a.ts", "src/.prettierrc.mjs"),
        ("mypy src", "mypy.ini"),
        ("python3 -m mypy src", "mypy.ini"),
        ("pylint --version", ".pylintrc"),
        ("flake8 --version", ".flake8"),
        ("mvn --version", ".mvn/jvm.config"),
        ("pnpm --version", ".pnpmfile.cjs"),
        ("pnpm ls", ".pnpmfile.cjs"),
        ("yarn --version", ".yarnrc.yml"),
        ("cargo --version", "rust-toolchain.toml"),
        ("cargo tree", ".cargo/config.toml"),
        ("uv tree", "pyproject.toml"),
        ("uv python find", ".venv/bin/python"),
        ("terraform validate", ".terraform/providers"),
        ("ansible-inventory --list", "ansible.cfg"),
        ("ansible all --list-hosts -i hosts.ini", "hosts.ini"),
        ("ansible-playbook --syntax-check site.yml", "site.yml"),
        ("npm pack --dry-run", "package.json"),
        ("gradle tasks", "build.gradle"),
        ("bazel query //...", "tools/bazel"),
        ("bundle list", "Gemfile"),
        ("mix help", "mix.exs"),
        ("ctest -N", "CTestTestfile.cmake"),
        ("dotnet --version", "global.json"),
        ("turbo --version", "node_modules/turbo"),
        ("tox --version", "toxfile.py"),
        ("sbt --version", ".sbtopts"),
        ("jest --version", "node_modules/jest"),
    ],
)
def test_a_file_that_names_code_asks(project, command, made):
    assert verdict(command, project) == "allow"
    (project / made).parent.mkdir(parents=True, exist_ok=True)
    (project / made).write_text("")
    answer, rules = ruling(command, project)
    assert answer == "ask"
    assert any(rule.endswith("/project-code") for rule in rules)
    if made.partition("/")[0] not in command:  # a path of the command line means another file there
        (project / "inner").mkdir()
        assert verdict(command, project / "inner") == "ask"


@pytest.mark.parametrize(
    "command", ["eslint .", "prettier --check 'src/**/*.ts'", "pytest --help", "pytest --version"]
)
def test_settings_below_are_not_known(project, command):
    assert verdict(command, project) == "ask"


@pytest.mark.parametrize(
    "command",
    ["ruff check .", "tsc --noEmit", "shellcheck a.sh", "gofmt -l .", "cargo fmt --check",
     "make -v", "mypy --version", "eslint --version", "npm ls", "git status", "just --list",
     "biome check ."],
)  # fmt: skip
def test_programs_that_run_no_code_of_the_project_do_not_ask(project, command):
    for made in ("Makefile", "package.json", "pyproject.toml", "mypy.ini", "Cargo.toml",
                 "tsconfig.json", "eslint.config.js", "justfile", "biome.json"):  # fmt: skip
        (project / made).write_text("")
    assert verdict(command, project) == "allow"


def test_settings_of_the_home_are_the_users_own(tmp_path, monkeypatch):
    home = tmp_path / "home"
    project = home / "project"
    (project / ".git").mkdir(parents=True)
    (home / "package.json").write_text("{}")
    monkeypatch.setenv("HOME", str(home))
    assert verdict("eslint a.ts", project) == "allow"
    assert verdict("cd ~ && eslint a.ts", project) == "ask"


def test_code_of_another_place_asks(project, tmp_path):
    evil = tmp_path / "evil"
    (evil / ".git").mkdir(parents=True)
    (evil / "node_modules" / ".bin").mkdir(parents=True)
    (evil / "node_modules" / ".bin" / "eslint").write_text("")
    for name in ("Makefile", ".golangci.yml", "eslint.config.js", "package.json"):
        (evil / name).write_text("")
    for command in ("make -n", "golangci-lint run", "eslint a.ts", "git status", "npx eslint a.ts"):
        answer, rules = ruling(f"cd {evil} && {command}", project)
        assert answer == "ask"
        assert any(rule.endswith("/foreign-code") for rule in rules), command
    assert verdict(f"eslint {evil}/a.ts", project) == "ask"
    assert verdict(f"git -C {evil} log", project) == "ask"
    assert verdict(f"make -C {evil} -n", project) == "ask"
    assert verdict(f"eslint --config {evil}/eslint.config.js a.ts", project) == "ask"
    assert verdict('cd "$x" && eslint a.ts', project) == "ask"
    assert verdict(f"git --git-dir={evil}/.git log", project) == "ask"
    assert verdict("git --git-dir=.git log", project) == "allow"
    assert verdict(f"find {evil} -name Makefile -execdir make -n ';'", project) == "ask"
    assert verdict(f"find {evil} -execdir git status ';'", project) == "ask"
    assert verdict(f"find {evil} -execdir grep -n x {{}} +", project) == "allow"
    assert verdict(f"env -C {evil} make -n", project) == "ask"
    assert verdict(f"bash -c 'cd {evil} && make -n'", project) == "ask"
    assert verdict("cd .. && git status", project) == "allow"


def test_a_program_that_the_project_does_not_have_would_be_fetched(project, tmp_path):
    for command in ("npx tsc --noEmit", "bunx tsc --noEmit", "npm exec -- tsc --noEmit"):
        assert verdict(command, project) == "ask"
    there = project / "node_modules" / ".bin"
    there.mkdir(parents=True)
    assert verdict("npx tsc --noEmit", project) == "ask"
    (there / "tsc").write_text("")
    (project / "inner").mkdir()
    for command in ("npx tsc --noEmit", "bunx tsc --noEmit", "npm exec -- tsc --noEmit",
                    "cd inner && npx tsc --noEmit"):  # fmt: skip
        assert verdict(command, project) == "allow"
    assert verdict("pnpx tsc --noEmit", project) == "ask"
    assert verdict("npx tsc@5 --noEmit", project) == "ask"
    assert verdict(f"cd {tmp_path} && npx tsc --noEmit", project) == "ask"
    assert verdict("npx prettier --check a.ts", project) == "ask"


def test_a_program_that_nobody_knows_is_fetched_only_if_the_project_does_not_have_it(project):
    def fetches(command):
        return bool(decided(command, project).effects & Effect.INSTALLS)

    assert fetches("npx mocha a.js")
    (project / "node_modules/.bin").mkdir(parents=True)
    (project / "node_modules/.bin/mocha").write_text("")
    for command in ("npx mocha a.js", "bunx mocha", "npm exec -- mocha", "npx -y mocha",
                    "pnpm exec mocha", "yarn exec mocha"):  # fmt: skip
        assert decided(command, project).effects == Effect.PROJECT_CODE
    for command in ("npx mocha@5", "pnpx mocha", "npm exec mocha", "npx m*a", "npx other",
                    "npx ../mocha", "cd .. && npx mocha"):  # fmt: skip
        assert fetches(command), command
    assert decided("npx -p x mocha", project).effects != Effect.PROJECT_CODE


def test_settings_of_npm_without_servers_and_tokens_are_no_secret(project):
    (project / ".npmrc").write_text("package-lock=false\n")
    assert verdict("cat .npmrc", project) == "allow"
    for text in ("//r.example/:_authToken=x", "; token x", "registry=https://r.example/"):
        (project / ".npmrc").write_text(f"fund=false\n{text}\n")
        assert verdict("cat .npmrc", project) == "ask", text
    (project / ".npmrc").unlink()
    assert verdict("cat .npmrc", project) == "ask"


def test_a_tool_that_is_run_as_a_module_finds_plug_ins_in_the_current_directory(project):
    assert verdict("flake8 a.py", project) == "allow"
    assert verdict("python3 -m flake8 a.py", project) == "ask"
    assert verdict("python3 -m mypy --version", project) == "allow"


def test_a_link_in_a_directory_of_the_system_is_followed(project):
    def real_path(path):
        return path.replace("/usr/local/bin/rg", f"{project}/rg").replace("/bin/", "/usr/bin/")

    facts = Facts(cwd=str(project), real_path=real_path)
    assert decide("/bin/ls", library(), Rules(), facts).verdict is Verdict.ALLOW
    assert decide("/usr/local/bin/rg x", library(), Rules(), facts).verdict is Verdict.ASK

"""From settings, place and environment to a decision, in real directories."""

from __future__ import annotations

import pytest

from laconic import engine, files
from laconic.knowledge.catalog import library
from laconic.reading.facts import NOWHERE, read_facts, scope
from laconic.settings.layers import built_in
from laconic.settings.load import defaults, process_environment, read_settings
from laconic.types import Decision, Effect, Outcome, Source, Verdict


@pytest.fixture
def configure(home):
    def write(text):
        path = home / ".config/laconic/config.toml"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)

    return write


def decide(command, cwd, **environ):
    environ = {**process_environment(), **environ}
    request = engine.Request(command, str(cwd), environ)
    return engine.decide_request(request, read_settings(environ, cwd))


def verdict(command, cwd, **environ):
    return decide(command, cwd, **environ).verdict


# -- the lists -------------------------------------------------------------------------------------


def test_without_configuration_the_knowledge_decides(project):
    assert verdict("git status", project) == "allow"
    assert verdict("git push", project) == "ask"
    assert verdict("rm -rf /", project) == "deny"
    assert not decide("zz", project).risk


@pytest.mark.parametrize(
    ("config", "command", "expected"),
    [
        ('[commands]\nallow = ["zz"]', "zz --any thing", "allow"),
        ('[commands]\nallow = ["zz"]', "/opt/zz", "ask"),
        ('[commands]\nallow = ["/opt/zz"]', "/opt/zz", "allow"),
        ('[commands]\nallow = ["zz"]', "zz > out", "ask"),
        ('[commands]\nallow = ["zz"]', "zz; rm x", "ask"),
        ('[commands]\nallow = ["zz"]', "zz $(rm x)", "ask"),
        ('[commands]\nallow = ["zz"]', "LD_PRELOAD=./x zz", "ask"),
        ('[commands]\nremove_ask = ["make"]\nallow = ["make"]', "make all", "allow"),
        ('[commands]\nremove_ask = ["rm"]\nallow = ["rm"]', "rm -r build", "allow"),
        ('[commands]\nremove_ask = ["rm"]\nallow = ["rm"]', "rm -rf /", "deny"),
        ('[commands]\nremove_ask = ["rm"]\nallow = ["rm"]', "rm .git/hooks/pre-commit", "ask"),
        ('[commands]\nask = ["ls"]', "ls", "ask"),
        ('[commands]\nask = ["ls"]', "/bin/ls -l", "ask"),
        ('[commands]\nask = ["zz"]', "zz", "ask"),
        ('[commands]\nremove_allow = ["ls"]', "ls", "ask"),
        ('[commands]\ndeny = ["ls"]', "ls", "deny"),
        ('[commands]\ndeny = ["ls"]', "/usr/bin/ls", "deny"),
        ('[commands]\ndeny = ["ls"]', "echo $('ls')", "deny"),
        ('[commands]\ndeny = ["ls"]', "sh -c ls", "deny"),
        ("", "eval x", "deny"),
        ("", "builtin eval 'git status'", "deny"),
        ("", "dd if=x of=y", "ask"),
        ("", "dd if=/dev/zero of=disk.img bs=1M count=10", "ask"),
        ("", "dd of=y < x", "ask"),
        ("", "dd if=x of=$y", "deny"),
        ("", "dd if=x $y", "deny"),
        ("", "dd if=x of=y of=/dev/sda", "deny"),
        ("", "dd if=x of=/dev/sda", "deny"),
        ("", "dd if=x of=/tmp/../dev/sda", "deny"),
        ("", "dd if=x of=//dev/sda", "deny"),
        ("", "dd if=/dev/sda of=y", "deny"),
        ("", "dd if=x of=/etc/passwd", "ask"),
        ("", "dd if=x of=.git/hooks/pre-commit", "deny"),
        ("", "dd if=x of=$HOME/.bashrc", "deny"),
        ('[settings]\nprofile = "strict"', "dd if=x of=y", "ask"),
        ('[settings]\nprofile = "relaxed"', "dd if=x of=y", "allow"),
        ('[settings]\nprofile = "relaxed"', "dd if=x of=$y", "deny"),
        ('[settings]\nprofile = "relaxed"', "dd if=x of=/dev/sda", "deny"),
        ('[settings]\nprofile = "relaxed"', "dd if=x of=/etc/passwd", "ask"),
        ("", "dd if=x", "allow"),
        ("", "fdisk /dev/sda", "deny"),
        ("", "fdisk -l", "allow"),
        ('[commands]\nremove_deny = ["dd", "eval"]', "dd if=x of=y", "ask"),
        ('[commands]\nremove_deny = ["dd", "eval"]', "eval x", "ask"),
        ('[commands]\nremove_deny = ["dd"]\nallow = ["dd"]', "dd if=x of=y", "allow"),
        ('[commands]\nreplace = true\nallow = ["cat"]', "eval x", "ask"),
        ('[commands]\nremove_deny = ["shred"]', "shred x", "ask"),
        ('[commands]\nremove_deny = ["shred"]\nallow = ["shred"]', "shred x", "ask"),
        ('[commands]\nreplace = true\nallow = ["cat"]', "ls", "ask"),
        ('[commands]\nreplace = true\nallow = ["cat"]', "cat x", "allow"),
        ('[wrappers]\nallow_floor = ["zz"]', "zz git status", "allow"),
        ('[wrappers]\nallow_floor = ["zz"]', "zz rm x", "ask"),
        ('[wrappers]\nallow_floor = ["zz"]', "zz rm -rf /", "deny"),
        ('[wrappers]\nallow_floor = ["zz"]', "zz --flag git status", "ask"),
        ('[wrappers]\nask_floor = ["zz"]', "zz git status", "ask"),
        ('[wrappers]\nask_floor = ["nice"]', "nice git status", "ask"),
        ('[wrappers]\nremove_allow_floor = ["nice"]', "nice git status", "ask"),
        ('[wrappers]\nremove_ask_floor = ["sudo"]\nallow_floor = ["sudo"]', "sudo ls", "allow"),
        ('[wrappers]\nremove_ask_floor = ["sudo"]\nallow_floor = ["sudo"]', "sudo rm x", "ask"),
        ('[git]\nread_only = ["pull"]', "git pull", "allow"),
        ('[git]\nread_only = ["pull"]', "git pull --upload-pack=./x", "ask"),
        ('[git]\nread_only = ["pull"]', "git -c core.sshCommand=./x pull", "ask"),
        ('[git]\nread_only = ["pull"]', "git pull > out", "ask"),
        ('[git]\nread_only = ["push"]', "git push", "allow"),
        ('[git]\nread_only = ["push"]', "git push --force", "ask"),
        ('[git]\nread_only = ["push"]', "git push origin +main", "deny"),
        ('[git]\nremove_read_only = ["log"]', "git log", "ask"),
        ('[git]\nremove_read_only = ["stash"]', "git stash list", "ask"),
        ('[cargo]\nremove_safe_subcommands = ["build"]', "cargo build", "ask"),
        ('[kubectl]\nmutating = ["get"]\n', "kubectl get pods", "ask"),
        ('[gh]\nremove_read_only = ["pr list"]', "gh pr list", "ask"),
        ('[gh]\nremove_mutating = ["pr close"]\nread_only = ["pr close"]', "gh pr close", "allow"),
    ],
)  # fmt: skip
def test_the_lists_of_the_configuration(project, configure, config, command, expected):
    configure(config)
    found = decide(command, project)
    assert found.verdict == expected, list(found.leaves())


def test_the_built_in_lists_name_only_programs_that_are_known():
    """Otherwise the built-in allow list would allow them without a look at their arguments."""
    defaults = built_in()
    lists = [*defaults["commands"].values(), *defaults["wrappers"].values()]
    names = {name for names in lists for name in names}
    assert sorted(name for name in names if not library().knows(name)) == []


def test_a_name_in_the_ask_list_is_an_opinion(project, configure):
    configure('[commands]\nask = ["zz"]')
    assert decide("zz", project).risk


def test_profiles(project, configure):
    (project / "src").mkdir()
    configure('[settings]\nprofile = "relaxed"')
    assert verdict("touch src/x", project) == "allow"
    configure('[settings]\nprofile = "strict"')
    assert verdict("curl https://example.com", project) == "ask"


def test_deny_can_be_escalated_to_ask(project, configure):
    configure("[settings]\nescalate_deny = true")
    found = decide("rm -rf /", project)
    assert found.verdict is Verdict.ASK
    assert found.reason.endswith("(escalated from deny)")
    assert found.firm, "no allowance is offered, as none would count"


# -- gates -----------------------------------------------------------------------------------------

GATE = '[git]\nallowed_with_config = ["push"]\nconfig_env = { GIT_CONFIG_GLOBAL = "%s" }\n'
GOOD, BAD = "/etc/agent.gitconfig", "./evil"


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        ("git push origin main", "allow"),
        ("git push --force", "ask"),
        ("git push --receive-pack=./x", "ask"),
        ("git -c core.sshCommand=./x push", "ask"),
        ("git commit -m x", "ask"),
        ("timeout 60 git push", "allow"),
        ("sudo git push", "ask"),
        ("env -i git push", "ask"),
        ("env -u GIT_CONFIG_GLOBAL git push", "ask"),
        (f"GIT_CONFIG_GLOBAL={BAD} git push", "ask"),
        ("GIT_CONFIG_GLOBAL=$x git push", "ask"),
        (f"export GIT_CONFIG_GLOBAL={BAD}; git push", "ask"),
        ("unset GIT_CONFIG_GLOBAL; git push", "ask"),
        ("git push > out", "ask"),
    ],
)
def test_a_gate_that_the_environment_opens(project, configure, command, expected):
    configure(GATE % GOOD)
    found = decide(command, project, GIT_CONFIG_GLOBAL=GOOD)
    assert found.verdict == expected, list(found.leaves())


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        ("git push", "ask"),
        (f"GIT_CONFIG_GLOBAL={GOOD} git push", "allow"),
        (f"GIT_CONFIG_GLOBAL='{GOOD}' git push origin main", "allow"),
        (f"GIT_CONFIG_GLOBAL={GOOD}x git push", "ask"),
        (f"GIT_CONFIG_GLOBAL+={GOOD} git push", "ask"),
        (f"GIT_CONFIG_GLOBAL={GOOD} true; git push", "ask"),
        (f"export GIT_CONFIG_GLOBAL={GOOD}; git push", "allow"),
        (f"export GIT_CONFIG_GLOBAL={GOOD} && git push", "allow"),
        (f"true && export GIT_CONFIG_GLOBAL={GOOD} && git push", "allow"),
        (f"export GIT_CONFIG_GLOBAL={GOOD}; export GIT_CONFIG_GLOBAL={BAD}; git push", "ask"),
        (f"export GIT_CONFIG_GLOBAL={GOOD} || git push", "ask"),
        (f"false && export GIT_CONFIG_GLOBAL={GOOD}; git push", "ask"),
        (f"export GIT_CONFIG_GLOBAL={GOOD} & git push", "ask"),
        (f"export GIT_CONFIG_GLOBAL={GOOD} | cat; git push", "ask"),
        (f"(export GIT_CONFIG_GLOBAL={GOOD}); git push", "ask"),
        (f"if true; then export GIT_CONFIG_GLOBAL={GOOD}; fi; git push", "ask"),
        (f"git push; export GIT_CONFIG_GLOBAL={GOOD}", "ask"),
        (f"GIT_CONFIG_GLOBAL={GOOD}; git push", "ask"),
    ],
)
def test_a_gate_that_the_command_itself_opens(project, configure, command, expected):
    configure(GATE % GOOD)
    found = decide(command, project)
    assert found.verdict == expected, list(found.leaves())


def test_any_value_opens_a_gate_only_from_outside(project, configure):
    configure('[git]\nallowed_with_config = ["push"]\nconfig_env_var = "GIT_CONFIG_GLOBAL"\n')
    assert verdict("git push", project) == "ask"
    assert verdict("git push", project, GIT_CONFIG_GLOBAL="/x") == "allow"
    assert verdict("GIT_CONFIG_GLOBAL=./evil git push", project) == "ask"


@pytest.mark.parametrize("value", ["~/agent", "$HOME/agent", "${HOME}/agent"])
def test_values_of_a_gate_are_expanded(project, configure, home, value):
    configure(GATE % value)
    assert verdict("git push", project, GIT_CONFIG_GLOBAL=f"{home}/agent") == "allow"
    assert verdict("git push", project, GIT_CONFIG_GLOBAL=value) == "allow"
    assert verdict("GIT_CONFIG_GLOBAL=~/agent git push", project) == "allow"
    assert verdict("GIT_CONFIG_GLOBAL=$HOME/agent git push", project) == "allow"
    assert verdict("GIT_CONFIG_GLOBAL=~/other git push", project) == "ask"


# -- the place -------------------------------------------------------------------------------------


def root_of(cwd, home="/home/me"):
    found = read_facts(str(cwd), {"HOME": str(home)}).project
    return "" if found == NOWHERE else found


def test_the_project_is_the_nearest_directory_with_git_or_laconic(project):
    inner = project / "a/b"
    inner.mkdir(parents=True)
    assert root_of(inner) == str(project)
    (project / "a/.laconic").mkdir()
    assert root_of(inner) == str(project / "a")
    assert root_of("/home/me/x/y") == "/home/me/x/y"


@pytest.mark.parametrize("cwd", ["/", "/etc", "/usr/share", "/home", "/home/me", "/home/me/.ssh"])
def test_some_places_are_no_projects(cwd):
    assert root_of(cwd) == ""


@pytest.mark.parametrize(
    ("repository", "project"),
    [("/app", "/app"), ("/workspace", "/workspace"), ("/usr", ""), ("/home", ""), ("/", "")],
)
def test_a_repository_next_to_the_root_is_a_project(monkeypatch, repository, project):
    marker = f"{repository.rstrip('/')}/.git"
    monkeypatch.setattr(files, "is_there", lambda path: path == marker)
    assert root_of(f"{repository}/src") == project


def test_a_home_is_no_project_even_with_git_in_it(home, configure):
    configure('[settings]\nprofile = "relaxed"')
    (home / ".git").mkdir()
    (home / "work").mkdir()
    assert root_of(home / "work", home) == ""
    environ = {"HOME": "/home/me"}
    where = read_facts("/home/me/work", environ)
    assert scope(where) == "/home/me/work"


def test_a_link_that_leads_out_of_the_project_is_followed(project, configure, home):
    configure('[settings]\nprofile = "relaxed"')
    (project / "out").symlink_to(home / ".ssh")
    assert verdict("touch inside", project) == "allow"
    assert verdict("touch out/authorized_keys", project) == "ask"


def test_a_temporary_directory_that_holds_the_home_is_none(home, tmp_path):
    temporary = read_facts(str(tmp_path), {"HOME": str(home), "TMPDIR": str(home.parent)}).temporary
    assert str(home.parent) not in temporary
    temporary = read_facts(str(tmp_path), {"HOME": str(home), "TMPDIR": "/scratch/"}).temporary
    assert "/scratch" in temporary


# -- rules of the agent ----------------------------------------------------------------------------


def test_the_rules_in_the_agents_settings_count(project, home):
    settings = home / ".claude/settings.json"
    settings.parent.mkdir()
    settings.write_text('{"permissions": {"deny": ["Bash(git status)"], "allow": ["Bash(zz:*)"]}}')
    assert verdict("git status", project) == "deny"
    assert verdict("zz", project) == "allow"
    request = engine.Request("git status", str(project), process_environment(), agent="gemini")
    assert engine.decide_request(request, read_settings()).verdict is Verdict.ALLOW


def test_a_broken_file_of_the_agent_is_a_problem(project, home):
    settings = home / ".claude/settings.json"
    settings.parent.mkdir()
    settings.write_text("{")
    request = engine.Request("git status", str(project), process_environment())
    decision = engine.decide_request(request, read_settings())
    assert decision.verdict is Verdict.ALLOW
    assert [str(settings) in problem.line for problem in decision.problems] == [True, True]


# -- answers ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("config", "answers"),
    [
        ("", ["allow", None, None, "ask", "ask", "deny"]),
        ('unknown = "ask"', ["allow", "ask", None, "ask", "ask", "deny"]),
        ('soft = "ask"', ["allow", "ask", "ask", "ask", "ask", "deny"]),
        ('profile = "strict"', ["allow", "ask", "ask", "ask", "ask", "deny"]),
        ('profile = "guard"', [None, None, None, "ask", "ask", "deny"]),
        ('gate = "advise"', [None, None, None, "ask", "ask", "deny"]),
        ('gate = "advise"\nunknown = "ask"', [None, "ask", None, "ask", "ask", "deny"]),
        ('gate = "off"', [None, None, None, None, None, None]),
    ],
)
def test_what_an_agent_is_told(configure, config, answers):
    configure(f"[settings]\n{config}")
    decisions = [
        Decision(Verdict.ALLOW, "x", ""),
        Decision(Verdict.ASK, "x", "", risk=False, effects=Effect.UNKNOWN),
        Decision(Verdict.ASK, "x", "", effects=Effect.PROJECT_WRITE),
        Decision(Verdict.ASK, "x", "", effects=Effect.PROJECT_WRITE | Effect.SENDS),
        Decision(Verdict.ASK, "x", ""),
        Decision(Verdict.DENY, "x", ""),
    ]
    assert [engine.outcome(d, read_settings()).word for d in decisions] == answers


@pytest.mark.parametrize(
    ("sources", "answer"),
    [
        ([Source.RULE], "allow"),
        ([Source.LIST], "allow"),
        ([Source.LIST, Source.KNOWLEDGE], None),
        ([Source.KNOWLEDGE], None),
    ],
)
def test_guard_says_what_the_rules_of_the_user_allow(configure, sources, answer):
    configure('[settings]\nprofile = "guard"')
    effects = Effect.PROJECT_WRITE
    parts = [Decision(Verdict.ALLOW, "x", "", effects=effects, source=one) for one in sources]
    line = Decision(Verdict.ALLOW, "x", "", parts=tuple(parts), effects=effects)
    assert engine.outcome(line, read_settings()).word == answer


def test_who_is_disabled_answers_nothing(monkeypatch):
    monkeypatch.setenv("LACONIC_DISABLED", "1")
    assert engine.outcome(Decision(Verdict.DENY, "x", ""), read_settings()) is Outcome.LEFT


def test_a_decision_with_files_to_read_stays_quick(project):
    import time

    settings, environ = read_settings(), process_environment()
    engine.decide_request(engine.Request("git status", str(project), environ), settings)
    times = []
    for _ in range(20):
        start = time.perf_counter()
        engine.decide_request(engine.Request("git status", str(project), environ), settings)
        times.append(time.perf_counter() - start)
    assert min(times) < 0.005


def test_a_projects_file_that_chooses_the_program_asks(project):
    assert verdict("yarn --version", project) == "allow"
    (project / ".yarnrc.yml").write_text("yarnPath: ./evil.cjs")
    (project / "inner").mkdir()
    for command in ("yarn --version", "env yarn why x", "yarn info x | head -3"):
        assert verdict(command, project) == "ask"
        assert verdict(command, project / "inner") == "ask"
    assert verdict("npm view x", project) == "allow"
    assert verdict(f"cd {project} && yarn --version", "/") == "ask"
    assert verdict('cd "$(cat where)" && yarn --version', "/") == "ask"


def test_nothing_that_the_built_in_deny_list_names_may_ask():
    """Each of these programs, called to do its work: the list and the answer agree."""
    work = {"dd": "dd if=a of=b", "eval": "eval x", "fdisk": "fdisk /dev/sda"}
    for name in defaults().commands.deny:
        command = work.get(name, f"{name} x")
        request = engine.Request(command, "/", {})
        assert engine.decide_request(request, read_settings()).verdict is Verdict.DENY, command

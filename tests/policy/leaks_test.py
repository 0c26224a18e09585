"""What must not leave the machine: no profile is looser, no spelling hides a secret."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from decide_cases import ALL
from laconic.knowledge.catalog import library
from laconic.policy.rules import Rules
from laconic.reading.decide import decide
from laconic.reading.places import Facts
from laconic.reading.secret_files import is_secret, is_secret_variable
from laconic.types import Decision, Effect, Verdict

_SECRETS = [".env", ".netrc", "id_rsa", ".ssh/config", ".codex/auth.json", ".config/gh/hosts.yml"]
_RELAXED = Rules(profile="relaxed")


def verdict_of(command: str, facts: Facts | None = None, rules: Rules | None = None) -> Verdict:
    return decide(command, library(), rules or Rules(), facts or Facts()).verdict


def _is_about_a_leak(decision: Decision) -> bool:
    return bool(decision.effects & (Effect.SECRETS | Effect.SENDS))


def test_no_profile_lets_secrets_or_sending_pass() -> None:
    found = [case.command for _, case in ALL if case.verdict is not Verdict.ALLOW]
    leaking = [c for c in found if _is_about_a_leak(decide(c, library(), Rules(), Facts()))]
    assert len(leaking) > 300
    for profile in ("relaxed", "strict"):
        rules = Rules(profile=profile)
        assert [c for c in leaking if verdict_of(c, rules=rules) is Verdict.ALLOW] == []


# -- spellings -------------------------------------------------------------------------------------


@given(st.sampled_from(_SECRETS), st.data())
def test_a_pattern_made_from_the_name_of_a_secret_may_be_that_secret(
    name: str, data: st.DataObject
) -> None:
    places = [i for i, char in enumerate(name) if char not in "./" and (i and name[i - 1] != "/")]
    chosen = data.draw(st.sets(st.sampled_from(places), max_size=3))
    form = data.draw(st.sampled_from(["?", "[{}]", "[!_]"]))
    pattern = "".join(form.format(c) if i in chosen else c for i, c in enumerate(name))
    assert is_secret(f"/home/user/{pattern}", glob=True)


@pytest.mark.parametrize("name", [".env", ".npmrc", ".git-credentials"])
def test_a_pattern_needs_a_dot_for_a_hidden_file(name: str) -> None:
    assert is_secret(f"{name[:2]}*", glob=True)
    assert not is_secret(f"*{name[-2:]}", glob=True)


@pytest.mark.parametrize(
    "name", ["GITHUB_TOKEN", "AWS_SECRET_ACCESS_KEY", "PGPASSWORD", "DATABASE_URL", "NPM_AUTH"]
)
def test_variables_that_hold_secrets(name: str) -> None:
    assert is_secret_variable(name)
    assert verdict_of(f'printf %s "${name}"') is Verdict.ASK
    assert verdict_of(f"printenv {name}") is Verdict.ASK


@pytest.mark.parametrize("name", ["PATH", "HOME", "PWD", "USER", "SHELL", "MONKEY", "AUTHOR"])
def test_variables_that_hold_none(name: str) -> None:
    assert not is_secret_variable(name)


# -- what is there ---------------------------------------------------------------------------------


def there(files: dict[str, list[str]], **more: object) -> Facts:
    """Facts of a place with these directories and what is in them."""
    paths = {f"{top}/{name}" for top, names in files.items() for name in names} | set(files)
    return Facts(names=lambda top: files.get(top, ()), exists=paths.__contains__, **more)  # type: ignore[arg-type]


def test_a_pattern_for_anything_reads_what_is_there() -> None:
    with_key = there({"/project": ["README.md", "server.key", ".env"]})
    assert verdict_of("cat *", with_key) is Verdict.ASK
    assert verdict_of("cat *.md", with_key) is Verdict.ALLOW
    assert verdict_of("cat *", there({"/project": ["README.md", ".env"]})) is Verdict.ALLOW


def test_names_that_are_listed_and_read_are_those_that_are_there() -> None:
    with_key = there({"/project": ["a.py", "server.key", ".env"]})
    for command in ("ls | xargs cat", 'for f in *; do head "$f"; done'):
        assert verdict_of(command, with_key) is Verdict.ASK
        assert verdict_of(command, there({"/project": ["a.py", ".env"]})) is Verdict.ALLOW
    assert verdict_of("ls *.py | xargs cat", with_key) is Verdict.ALLOW
    assert verdict_of("ls | grep key", with_key) is Verdict.ALLOW


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        ("grep -rn TODO .", Verdict.ASK),
        ("grep -rn TODO", Verdict.ASK),
        ("grep -rn TODO api", Verdict.ASK),
        ("rg -uu TODO", Verdict.ASK),
        ("rg --hidden --no-ignore TODO", Verdict.ASK),
        ("git grep --no-index TODO", Verdict.ASK),
        ("find . -type f -exec cat {} +", Verdict.ASK),
        ("find . -type f | xargs cat", Verdict.ASK),
        ('find api -type f | while read -r f; do cat "$f"; done', Verdict.ASK),
        ("for f in $(find .); do cat $f; done", Verdict.ASK),
        ("find ~ -type f -exec grep x {} +", Verdict.ASK),
        ("find . -name '*.py' -exec cat {} +", Verdict.ALLOW),
        ("find . -type f ! -name '.env' -exec cat {} +", Verdict.ALLOW),
        ("find . -type f | xargs ls -l", Verdict.ALLOW),
        ("find docs -type f | xargs cat", Verdict.ALLOW),
        ("find . -type f | head", Verdict.ALLOW),
        ("rg TODO", Verdict.ALLOW),
        ("grep -rln TODO .", Verdict.ALLOW),
        ("grep -rn TODO docs", Verdict.ALLOW),
        ("grep -rn --include='*.py' TODO .", Verdict.ALLOW),
        ("grep -rn --exclude='.env*' TODO .", Verdict.ALLOW),
        ("rg --hidden -g '!.env' TODO", Verdict.ALLOW),
    ],
)
def test_a_search_reaches_secrets_unless_it_leaves_them_out(
    command: str, expected: Verdict
) -> None:
    files = {"/project": ["api", "docs"], "/project/api": [".env"], "/project/docs": ["a.md"]}
    assert verdict_of(command, there(files)) is expected


def test_a_link_to_a_secret_is_a_secret() -> None:
    facts = Facts(real_path=lambda path: path.replace("notes.txt", ".env"))
    assert verdict_of("cat notes.txt", facts) is Verdict.ASK


@pytest.mark.parametrize("program", ["sqlite3", "duckdb"])
def test_a_database_that_is_not_there_is_created(program: str) -> None:
    facts = there({"/project": ["old.db"]})
    assert verdict_of(f"{program} new.db 'select 1'", facts) is Verdict.ASK
    assert verdict_of(f"{program} old.db 'select 1'", facts) is Verdict.ALLOW
    assert verdict_of(f"{program} -readonly new.db 'select 1'", facts) is Verdict.ALLOW


def test_a_keyring_that_is_not_there_is_created() -> None:
    facts = there({"/project": ["old"]})
    assert verdict_of("gpg --no-default-keyring --keyring ./new -k", facts) is Verdict.ASK
    assert verdict_of("gpg --no-default-keyring --keyring ./old -k", facts) is Verdict.ALLOW


# -- settings of the project that send a token -----------------------------------------------------


@pytest.mark.parametrize(
    ("file", "command"),
    [
        (".npmrc", "npm ping"),
        (".npmrc", "npm view express"),
        (".npmrc", "npm whoami"),
        (".npmrc", "pnpm view express"),
        (".npmrc", "bun pm view express"),
        ("bunfig.toml", "bun pm view express"),
        ("uv.toml", "uv pip list --outdated"),
        ("pip.conf", "pip index versions x"),
        (".cargo/config.toml", "cargo search x"),
        (".bundle/config", "bundle outdated"),
        ("nuget.config", "dotnet package search x"),
    ],
)
@pytest.mark.parametrize("cwd", ["/project", "/project/app/src"])
def test_a_file_of_the_project_may_redirect_a_registry(file: str, command: str, cwd: str) -> None:
    path = f"/project/{file}"
    facts = Facts(cwd=cwd, project="/project", exists=lambda p: p == path)
    assert verdict_of(command, facts) is Verdict.ASK
    assert verdict_of(command, facts, _RELAXED) is Verdict.ASK


def test_settings_of_the_home_and_harmless_ones_are_fine() -> None:
    home = Facts(cwd="/home/user/a", project="/home/user/a", exists="/home/user/.npmrc".__eq__)
    assert verdict_of("npm view express", home) is Verdict.ALLOW
    text = "# exact\nsave-exact=true\nengine-strict = true\n\n"
    plain = Facts(exists="/project/.npmrc".__eq__, text=lambda _: text)
    assert verdict_of("npm view express", plain) is Verdict.ALLOW
    bad = Facts(
        exists="/project/.npmrc".__eq__, text=lambda _: f"{text}//h/:_authToken=${{NPM_TOKEN}}\n"
    )
    assert verdict_of("npm view express", bad) is Verdict.ASK
    assert verdict_of("npm ls", bad) is Verdict.ASK


# -- directories with guarded files ----------------------------------------------------------------


@pytest.mark.parametrize(
    "command",
    [
        "cp -r x .github", "cp -r x/ .github/", "cp -rT x .github", "cp -R x .GitHub",
        "cp -t .github x", "cp --target-directory=.github x", "mv .github x", "mv x .github",
        "rm -rf .github", "rm -r ./.github/", "rm -rf .g*", "mv .g* x", "ln -s /tmp/x .github",
        "ln -sfn ../x .github", "mknod x p", "mknod .github p", "install -m 755 x .github",
        "cp -r x .config", "cp -r x .cargo", "mv .cargo x", "mv a .local/share",
        "mv x node_modules", "ln -s x node_modules", "cp x/conftest.py tests", "cp x/.npmrc sub",
        "mv evil/.git sub", "cp -t sub evil/.envrc", "rsync -a x/ .github/",
        "tar xf a.tar -C .github",
        "unzip a.zip -d .github", "git mv x .github", "git mv .github x", "tee .github",
        "dd if=x of=.github", "cp ~/.ssh/id_rsa x", "cp .env x", "ln -s ~/.bashrc x",
        "rename 'system(1)' x", "rm -rf sub",
    ],
)  # fmt: skip
def test_a_directory_with_guarded_files_is_guarded(command: str) -> None:
    facts = there({"/project/sub": [".git"]})
    assert verdict_of(command, facts, _RELAXED) is not Verdict.ALLOW


@pytest.mark.parametrize(
    "command",
    [
        "mkdir .github", "rm -rf node_modules", "rm -rf .venv", "rm -rf build", "cp a b", "mv a b",
        "cp -r src dist", "ln -s a b", "cp ~/dev/x/README.md ./dist/README.md", "touch x",
        "install -d .github", "cp /etc/hosts ./x",
    ],
)  # fmt: skip
def test_other_writes_in_the_project_stay_relaxed(command: str) -> None:
    assert verdict_of(command, rules=_RELAXED) is Verdict.ALLOW


def test_a_copy_is_about_its_target() -> None:
    decision = decide("cp ~/dev/x/README.md ~/y", library(), _RELAXED, Facts())
    assert decision.verdict is Verdict.ASK
    assert all("dev/x" not in leaf.reason for leaf in decision.leaves())

"""Files of a project that say where a package manager sends its questions, and with which token.

`.npmrc` with `//host/:_authToken=${NPM_TOKEN}` makes `npm ping` send the user's token to that host.
The same file in the user's home is the user's own.
"""

from __future__ import annotations

import re

from laconic.files import upwards
from laconic.patterns import pattern
from laconic.types import Effect

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from laconic.reading.call import Call
    from laconic.reading.places import Facts
    from laconic.types import Decision

_FILES: dict[str, tuple[str, ...]] = {
    **dict.fromkeys(("npm", "pnpm", "pnpx", "npx", "yarn", "yarnpkg", "deno"), (".npmrc",)),
    "bun": (".npmrc", "bunfig.toml"),
    **dict.fromkeys(("pip", "pip3"), (".venv/pip.conf", "venv/pip.conf", "pip.conf", "pip.ini")),
    "uv": ("uv.toml",),
    "poetry": ("poetry.toml",),
    "pdm": ("pdm.toml", ".pdm.toml"),
    "cargo": (".cargo/config.toml", ".cargo/config"),
    **dict.fromkeys(("bundle", "bundler"), (".bundle/config",)),
    "dotnet": ("nuget.config", "NuGet.config", "NuGet.Config"),
    "composer": ("auth.json",),
    "ansible-galaxy": ("ansible.cfg",),
}
# Subcommands that share a table with those that ask the registry, and do not.
_LOCAL = frozenset(
    "list ls la ll l explain why query root prefix bin sbom tree show metadata".split()
)
_LOCAL_OF = frozenset(("npm", "pnpm", "yarn", "yarnpkg", "bun"))
_NPMRC_LINE = pattern(
    r"""\s*(?:[;\#].*|(?:audit|audit-level|auto-install-peers|color|depth|dedupe-peer-dependents
    |enable-pre-post-scripts|engine-strict|fund|hoist|hoist-pattern|ignore-scripts|include
    |install-links|legacy-peer-deps|link-workspace-packages|lockfile|loglevel|message
    |min-release-age|minimum-release-age|node-linker|omit|package-import-method|package-lock|prefer-dedupe|prefer-frozen-lockfile
    |prefer-offline|prefer-workspace-packages|progress|provenance|public-hoist-pattern
    |resolution-mode|save|save-exact|save-prefix|save-workspace-protocol|shamefully-hoist
    |shared-workspace-lockfile|sign-git-tag|strict-peer-dependencies|symlink|tag-version-prefix
    |update-notifier|use-node-version|workspaces-update)(?:\[\])?\s*(?:=[\w\s.*@/^~!"'-]*)?)?""",
    re.VERBOSE,
)
# https://doc.rust-lang.org/cargo/reference/config.html: without servers, credentials and patches,
# and without programs that cargo starts to look at a project.
_CARGO_TABLES = frozenset(
    "alias build target profile term cargo-new future-incompat-report".split()
)
_BUILD = frozenset("jobs target target-dir rustflags rustdocflags incremental build-dir".split())


def registry_findings(call: Call, program: str) -> Iterator[Decision]:
    """Ask where such a file is, between the directory that it may run in and the project's root."""
    names = _FILES.get(program)
    if names is None:
        return
    if program in _LOCAL_OF and call.path[-1] in _LOCAL:
        return
    facts = call.judge.facts
    for directory in call.situation.directories:
        for above in upwards(facts.real_path(directory) if directory else ""):
            if above == facts.home:
                break
            for name in names:
                path = f"{above.rstrip('/')}/{name}"
                if facts.exists(path) and not is_harmless_file(path, facts):
                    reason = f"{path} may send a token to a server of its choice"
                    rule = f"{program}/registry"
                    yield call.judge.finding(Effect.SENDS, rule, reason, call.span)
            if above == facts.project:
                break


def is_harmless_file(path: str, facts: Facts) -> bool:
    """Tell whether a file of settings says nothing that chooses a server or a program."""
    if path.endswith("/.npmrc"):
        text = facts.text(path)
        return text is not None and all(map(_NPMRC_LINE.fullmatch, text.splitlines()))
    return "/.cargo/config" in path and _is_harmless_cargo(facts.text(path))


def _is_harmless_cargo(text: str | None) -> bool:
    import tomllib  # noqa: PLC0415 - seldom

    try:
        tables = tomllib.loads(text or "[include]")
    except (tomllib.TOMLDecodeError, RecursionError):
        return False
    build = tables.get("build", {})
    return tables.keys() <= _CARGO_TABLES and isinstance(build, dict) and build.keys() <= _BUILD

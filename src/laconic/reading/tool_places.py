"""Directories in which installers of tools put programs: below the home, and of the system.

What is there runs under its own name anyway, so that to name it by its path, or to look there
first, changes no more than the version. A path counts only if its links stay in such a place.
"""

from __future__ import annotations

import posixpath
import re
from re import Pattern

from laconic.patterns import pattern
from laconic.reading.places import Facts, is_within, place

# Below the home, as the manuals of these tools say: https://github.com/nvm-sh/nvm#usage,
# https://doc.rust-lang.org/cargo/guide/cargo-home.html, https://go.dev/wiki/GOPATH,
# https://sdkman.io/usage, https://developer.android.com/tools, https://mise.jdx.dev/directories.html,
# https://asdf-vm.com/manage/configuration.html, https://docs.astral.sh/uv/reference/storage/,
# https://docs.flutter.dev/install/manual, https://dart.dev/tools/pub/cmd/pub-global
_BELOW_HOME = pattern(
    r"""(?: \.(?:nvm|sdkman|asdf) | \.nvm/versions/node/[^/]+
    | \.(?:volta|fnm|bun|deno|cargo|yarn|krew|poetry|rye|pixi|rd)
    | \.(?:pyenv|rbenv|nodenv|jenv|goenv|asdf|volta)(?:/(?:bin|shims|versions/[^/]+))?
    | \.asdf/installs/[^/]+/[^/]+ | \.local/share/(?:mise|pnpm|uv|fnm|rtx)(?:/.+)?
    | \.rustup/toolchains/[^/]+
    | \.sdkman/candidates/[^/]+/[^/]+ | \.jdks/[^/]+ | \.gradle/jdks/[^/]+ | \.dotnet(?:/tools)?
    | \.pub-cache | (?:\.?fvm/default|fvm/versions/[^/]+|flutter|development/flutter|dev/flutter)
    | (?:Library/Android|Android)/[Ss]dk(?:/.+)? | go | \.npm-global | \.local | Library/pnpm
    | (?:miniconda|anaconda|miniforge|mambaforge)3?(?:/envs/[^/]+)? | \.foundry | \.ghcup | \.cabal
    | \.opam/[^/]+ | \.juliaup | \.krew | \.tfenv | \.tgenv | \.composer/vendor )(?:/s?bin)?/?""",
    re.VERBOSE,
)
_OF_SYSTEM = pattern(
    r"""/(?: usr/(?:local/)?(?:lib|lib64|libexec|share|opt|go|cuda[^/]*)(?:/.+)?
    | (?:usr/(?:local/)?)?s?bin | opt/.+ | snap/.+ | nix/store/.+ | home/linuxbrew/\.linuxbrew/.+
    | Library/(?:Java|Developer|Frameworks)/.+ | Applications/.+\.app/.+ )""",
    re.VERBOSE,
)
# https://keith.github.io/xcode-man-pages/java_home.1.html
_ASKS_FOR_JAVA = pattern(r'JAVA_HOME=("?)\$\(/usr/libexec/java_home(?: -v ?[\d.]+\+?)?\)\1')
# In double quotes a tilde stays a tilde, and would name a directory where the command runs.
_AROUND = pattern(r"""PATH=(?:(?P<plain>[^"\s]+)|"(?P<quoted>[^"]+)")""")
_ENTRY = pattern(r"(?:~|\$HOME|\$\{HOME\})?/[\w./+@ -]+")
_HOME_OF_TOOL = pattern(r"""[A-Z]\w*(?<!PATH)=("?)((?:\$HOME|\$\{HOME\})/[\w./+@-]+)\1""")
# A file below the home of a tool, which is judged where it is set.
_BELOW_TOOL = pattern(r"""("?)\$\{?(?P<name>[A-Z_]+)\}?(?P<rest>/[\w./-]+)\1""")
_HOMES = {"NVM_DIR": ".nvm", "SDKMAN_DIR": ".sdkman", "ASDF_DIR": ".asdf"}
_AS_IT_IS = frozenset(("$PATH", "${PATH}"))
_HOME = pattern(r"^(?:~|\$HOME|\$\{HOME\})(?=/)")
# `go help gopath`, brew(1): where these tools put programs, unless the user's variables say else.
_ASKED = (("$(go env GOPATH)", "~/go"), ("$(go env GOROOT)", "/usr/local/go"))
# What sets up the user's own tools in a shell, as their manuals say: https://github.com/nvm-sh/nvm,
# https://doc.rust-lang.org/cargo/getting-started/installation.html, https://sdkman.io/install,
# https://asdf-vm.com/guide/getting-started.html, https://docs.astral.sh/uv/getting-started/,
# https://docs.conda.io/projects/conda/en/stable/dev-guide/deep-dives/activation.html,
# https://docs.ros.org/en/rolling/Tutorials/Beginner-CLI-Tools/Configuring-ROS2-Environment.html.
# Not the files that shells read when they start: nobody knows what else is in them.
_SETS_UP = pattern(
    r"""\.(?: nvm/nvm\.sh | nvm/bash_completion | cargo/env | local/bin/env | deno/env | ghcup/env
    | sdkman/bin/sdkman-init\.sh | asdf/asdf\.sh | bun/_bun | rvm/scripts/rvm
    | opam/opam-init/init\.sh | nix-profile/etc/profile\.d/(?:nix|hm-session-vars)\.sh )
    | (?:mini|ana)conda3?/etc/profile\.d/conda\.sh | (?:mini|mamba)forge3?/etc/profile\.d/\w+\.sh
    | \.?esp/esp-idf/export\.sh""",
    re.VERBOSE,
)
_SYSTEM_SETS_UP = pattern(r"/opt/ros/\w+/(?:local_)?setup\.(?:ba|z)?sh|/etc/profile\.d/[\w.-]+\.sh")


def is_tool_place(directory: str, facts: Facts) -> bool:
    """Tell whether it is such a directory, as written and with its links followed."""
    if ".." in directory:
        return False
    path = posixpath.normpath(directory)
    return all(_is_listed(one, facts) for one in (path, facts.real_path(path)))


def is_tool(path: str, facts: Facts) -> bool:
    """Tell whether an absolute path is that of a program in such a directory below the home."""
    if not path.startswith(f"{facts.home}/") or posixpath.normpath(path) != path:
        return False
    places = {posixpath.dirname(one) for one in (path, facts.real_path(path))}
    return all(is_tool_place(one, facts) for one in places)


def _is_listed(path: str, facts: Facts) -> bool:
    return _is_one_of(path, path, _BELOW_HOME, _OF_SYSTEM, facts)


def _is_one_of(
    path: str, real: str, below_home: Pattern[str], of_system: Pattern[str], facts: Facts
) -> bool:
    """Tell whether a path has one of these forms; real: where it leads, which is no project's."""
    if is_within(real, facts.project) or place(real, "/", facts) == "temporary":
        return False
    if path.startswith(f"{facts.home}/"):
        return below_home.fullmatch(path[len(facts.home) + 1 :]) is not None
    return of_system.fullmatch(path) is not None


def sets_up_tools(path: str, facts: Facts) -> bool:
    """Tell whether it is a file of the user's that sets up tools in a shell, and leads to no other.

    One that is kept in the project is the project's.
    """
    return _is_one_of(path, facts.real_path(path), _SETS_UP, _SYSTEM_SETS_UP, facts)


def written_setup(written: str, facts: Facts) -> str:
    """The file that `"$NVM_DIR/nvm.sh"` names; empty if it is no such word."""
    found = _BELOW_TOOL.fullmatch(written)
    home = _HOMES.get(found["name"]) if found else None
    return f"{facts.home}/{home}{found['rest']}" if found and home else ""


def names_tools(written: str, facts: Facts) -> bool:
    """Tell whether a text is `PATH=…:$PATH:…`, where all the rest are such directories.

    Or `JAVA_HOME=$(…)` with what macOS has for that, or `NVM_DIR="$HOME/.nvm"`.
    """
    if _ASKS_FOR_JAVA.fullmatch(written):
        return True
    for asked, where in _ASKED if "GOPATH" not in facts.environment else ():
        written = written.replace(asked, where.replace("~", facts.home))
    if home := _HOME_OF_TOOL.fullmatch(written):
        return is_tool_place(_HOME.sub(facts.home, home[2]), facts)
    found = _AROUND.fullmatch(written)
    if found is None:
        return False
    entries = (found["plain"] or found["quoted"]).split(":")
    others = [entry for entry in entries if entry not in _AS_IT_IS]
    is_quoted = found["quoted"] is not None
    return len(others) == len(entries) - 1 and all(
        _ENTRY.fullmatch(entry) is not None
        and not (is_quoted and entry[0] == "~")
        and is_tool_place(_HOME.sub(facts.home, entry), facts)
        for entry in others
    )

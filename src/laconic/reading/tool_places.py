"""Directories in which installers of tools put programs: below the home, and of the system.

What is there runs under its own name anyway, so that to name it by its path, or to look there
first, changes no more than the version. A path counts only if its links stay in such a place.
"""

from __future__ import annotations

import posixpath
import re

from laconic.patterns import pattern
from laconic.reading.places import is_within, place

TYPE_CHECKING = False
if TYPE_CHECKING:
    from laconic.reading.places import Facts

# Below the home, as the manuals of these tools say: https://github.com/nvm-sh/nvm#usage,
# https://doc.rust-lang.org/cargo/guide/cargo-home.html, https://go.dev/wiki/GOPATH,
# https://sdkman.io/usage, https://developer.android.com/tools, https://mise.jdx.dev/directories.html,
# https://asdf-vm.com/manage/configuration.html, https://docs.astral.sh/uv/reference/storage/,
# https://docs.flutter.dev/install/manual, https://dart.dev/tools/pub/cmd/pub-global
_BELOW_HOME = pattern(
    r"""(?: \.nvm/versions/node/[^/]+ | \.(?:volta|fnm|bun|deno|cargo|yarn|krew|poetry|rye|pixi|rd)
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
_IN_FRONT = pattern(
    r"""PATH=(?: (?P<plain>(?:(?:~|\$HOME|\$\{HOME\})?/[\w./+@-]+:)+)(?:\$PATH|\$\{PATH\})
    | "(?P<quoted>(?:(?:\$HOME|\$\{HOME\})?/[\w./+@\ -]+:)+)(?:\$PATH|\$\{PATH\})" )""",
    re.VERBOSE,
)
_HOME = pattern(r"^(?:~|\$HOME|\$\{HOME\})(?=/)")


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
    if is_within(path, facts.project) or place(path, "/", facts) == "temporary":
        return False
    if path.startswith(f"{facts.home}/"):
        return _BELOW_HOME.fullmatch(path[len(facts.home) + 1 :]) is not None
    return _OF_SYSTEM.fullmatch(path) is not None


def names_tools(written: str, facts: Facts) -> bool:
    """Tell whether a text is `PATH=…:$PATH`, where all that comes first is such a directory.

    Or `JAVA_HOME=$(…)` with what macOS has for that.
    """
    if _ASKS_FOR_JAVA.fullmatch(written):
        return True
    found = _IN_FRONT.fullmatch(written)
    if found is None:
        return False
    entries = (found["plain"] or found["quoted"]).rstrip(":").split(":")
    return all(is_tool_place(_HOME.sub(facts.home, entry), facts) for entry in entries)

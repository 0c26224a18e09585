"""Variables by which tools that build, test and install are told what to run, and where to ask.

The project's code may be given any variable of its own. These are not its own: each names a server,
a program, a plug-in or options of a tool, so that only values that do none of that are let pass.
https://pkg.go.dev/cmd/go#hdr-Environment_variables,
https://doc.rust-lang.org/cargo/reference/environment-variables.html,
https://docs.npmjs.com/cli/using-npm/config, https://pip.pypa.io/en/stable/topics/configuration/,
https://docs.pytest.org/en/stable/reference/reference.html#environment-variables
"""

from __future__ import annotations

import re

from laconic.patterns import pattern

_READ_BY_TOOLS = pattern(
    r"""GO[A-Z]+ | (?:npm|NPM)_(?:config|CONFIG)_.* | (?:PIP|UV|POETRY|PDM|HATCH|TOX|PYTEST)_.*
    | (?:CARGO|RUSTUP|RUSTDOC)_.* | RUSTC.* | RUST(?:DOC)?FLAGS
    | (?:YARN|PNPM|COREPACK|BUN|DENO|PLAYWRIGHT|PUPPETEER|CYPRESS|ESBUILD|TS_NODE)_.*
    | (?:BUNDLE|GEM|MAVEN|MVN|GRADLE|SBT|DOTNET|NUGET|COMPOSER|CMAKE|MESON|PKG_CONFIG)_?.*
    | (?:CC|CXX|CPP|LD|AR|AS|FC|NM|STRIP) | (?:C|CXX|CPP|LD)FLAGS | .*_(?:BIN|EXECUTABLE)
    | (?:AWS|AZURE|ARM|CLOUDSDK|DOCKER|KUBE|HELM|VAULT|CONSUL|NOMAD|SSL|CURL|REQUESTS)_?.*""",
    re.VERBOSE,
)
# One word that is neither a path nor an address, for names that do not stand for a program.
_WORD = pattern(r"[\w.,+-]*")
_PATH = pattern(r"\.{0,2}/?\w[\w-]*(?:/[\w.-]+)+|\./[\w.-]+")
_NAMES_PROGRAM = pattern(
    r".*(?:RUNNER|LINKER|WRAPPER|RUSTC|RUSTDOC|_BIN|EXECUTABLE|_PATH|SHELL|shell|PLUGINS?|HOOKS"
    r"|COMMAND|RC_FILENAME|PKG_CONFIG|TOOLCHAIN_FILE|ARGS|OPTS|ENDPOINT.*|HOST|SERVER|REGISTRY)"
)
_COMPILERS = pattern(
    r"(?:[\w-]+-)?(?:gcc|g\+\+|clang|clang\+\+|cc|c\+\+|c99|c11|ld|lld|mold|gold|ar|cpp|gfortran)"
    r"(?:-[0-9.]+)?|sccache|ccache|zig"
)
_PROGRAMS = frozenset("CC CXX CPP LD AR AS FC NM STRIP RUSTC_WRAPPER".split())
_C_FLAGS = pattern(
    r"""(?:(?:^|\s+)(?:-[OgGmW][\w=+-]* | -std=[\w+]+ | -[DU]\w+(?:=\w*)? | -[lp]\w+ | -pthread
    | -f(?!plugin|use-ld)[\w=+-]+ ))*\s*""",
    re.VERBOSE,
)
# Options of tools in a variable, as far as they choose nothing but how much is done and shown.
_OPTIONS = {
    **dict.fromkeys(("CFLAGS", "CXXFLAGS", "CPPFLAGS", "LDFLAGS"), _C_FLAGS),
    "GOFLAGS": pattern(
        r"(?:\s*-(?:v|race|trimpath|short|failfast|(?:mod|count|p|tags|buildvcs|timeout|run)=[\w.,]+))*"
    ),
    "GOPROXY": pattern(r"off|direct|https://proxy\.golang\.org(?:,direct)?"),
    "RUSTFLAGS": pattern(
        r"(?:\s*(?:-[DWA]\s?[\w:-]+|--cfg[ =][\w=\"]+|-C\s?(?!linker|link)[\w-]+(?:=[\w.-]+)?))*"
    ),
    "RUSTDOCFLAGS": pattern(r"(?:\s*-[DWA]\s?[\w:-]+)*"),
    "PYTEST_ADDOPTS": pattern(
        r"(?:\s*(?:-[xvqsl]+|-n\s?(?:\d+|auto)|-p\s?no:\w+|--(?:tb|maxfail|durations|color)=\w+"
        r"|--no-cov|--lf|--ff))*"
    ),
    **dict.fromkeys(
        ("MAVEN_OPTS", "GRADLE_OPTS", "SBT_OPTS"),
        pattern(r"(?:\s*(?:-Xm[snx]\d+[kmgKMG]|-Xss\d+[kmgKMG]|-XX:[+-]?\w+(?:=\w+)?))*"),
    ),
}
_KEPT_BETWEEN_RUNS = pattern(
    r".*(?:CACHE|TARGET_DIR|TMP|LOG|COVER|DATA|STORE|RESULTS?).*", re.IGNORECASE
)


def is_read_by_tools(name: str) -> bool:
    return _READ_BY_TOOLS.fullmatch(name) is not None


def is_path(value: str) -> bool:
    """Tell whether it is one plain path, as of a program of the project's own."""
    return _PATH.fullmatch(value) is not None


def holds_files_of_tools(name: str) -> bool:
    """Tell whether it names a place for what is made anew."""
    return _KEPT_BETWEEN_RUNS.fullmatch(name) is not None


def is_plain_setting(name: str, value: str) -> bool:
    """Tell whether such a variable chooses no server, no program and no code with this value."""
    if name in _OPTIONS:
        return _OPTIONS[name].fullmatch(value) is not None
    if name in _PROGRAMS:
        return _COMPILERS.fullmatch(value) is not None
    return not _NAMES_PROGRAM.fullmatch(name) and _WORD.fullmatch(value) is not None

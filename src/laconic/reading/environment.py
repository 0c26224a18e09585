"""Which environment variables may be set without a question."""

from __future__ import annotations

import re

from laconic.knowledge.traits import named
from laconic.knowledge.words import word_lists
from laconic.patterns import pattern
from laconic.settings.environ import SWITCHES

_WORDS = word_lists("variables")
_HARMLESS = frozenset(_WORDS["harmless"]).union(SWITCHES)
_COREUTILS = frozenset(_WORDS["coreutils"])
# So say the manuals of these. None of them runs or loads anything that a variable names, but for
# those of _HEEDED and _RUNTIME: https://www.gnu.org/software/grep/manual/html_node/Environment-Variables.html,
# https://www.gnu.org/software/sed/manual/, https://www.gnu.org/software/diffutils/manual/,
# https://jqlang.org/manual/, https://github.com/BurntSushi/ripgrep/blob/master/GUIDE.md
_READS_FEW = _COREUTILS.union("cmp diff egrep fgrep grep jq rg sed sort".split())
_LOCAL_GIT = frozenset(_WORDS["local-git"])
_READ_BY_GIT = frozenset("BROWSER DISPLAY EMAIL LOGNAME LV MORE TERM USER USERNAME".split())
# What the loader and the C library of a system heed (ld.so(8), environ(7), dyld(1), and those of
# AIX, HP-UX, IRIX and musl), programs that were built to be measured, and fish.
_RUNTIME = pattern(
    r"""_.* | GLIBC_.* | GCONV_.* | MALLOC_.* | Malloc.* | MUSL_.* | NLSPATH | LOCALDOMAIN
    | HOSTALIASES | NIS_.* | RES_.* | RESOLV_.* | TZDIR | DATEMSK | LIBC_.* | LDR_.* | LIBPATH
    | SHLIB_.* | OBJC_.* | NS[A-Z].* | CFNETWORK_.* | OS_.* | GMON_.* | GCOV_.* | LLVM_.*
    | PCPROFILE_.* | SEGFAULT_.* | OUTPUT_CHARSET | RIPGREP_.* | OPENSSL_.* | SSL.* | fish_.*""",
    re.VERBOSE,
)
# Names that say themselves that they choose a program, a library, a file of settings or a server.
_CHOOSES = pattern(
    r""".*(?: path | preload | librar(?:y|ies) | home | root | dir | file | rc | conf | config
    | cmd | command | program | exec | shell | hook | plugins? | modules? | script
    | opts | args | flags | proxy | host | addr | address | server | endpoint | ur[il] | sock
    | socket )""",
    re.VERBOSE | re.IGNORECASE,
)
_NAME = pattern(r"[A-Za-z][A-Za-z0-9_]*")
_PLAIN = pattern(r"[\w.,:@%+=-]*")
_UNHEARD = frozenset("HOME USER LOGNAME MAIL EDITOR VISUAL BROWSER DISPLAY".split())
_HARMLESS_PREFIXES = ("LC_", "CARGO_TERM_", "HOMEBREW_NO_", "TF_VAR_")
# Setting these to nothing or to a plain pass-through only switches a pager off.
_PAGERS = frozenset("PAGER GIT_PAGER MANPAGER SYSTEMD_PAGER GH_PAGER BAT_PAGER AWS_PAGER".split())
_PLAIN_PAGERS = frozenset(("", "cat", "less", "more"))
# An editor that changes nothing leaves the text as git proposes it:
# https://git-scm.com/docs/git-var#Documentation/git-var.txt-GITEDITOR
_EDITORS = frozenset("GIT_EDITOR GIT_SEQUENCE_EDITOR EDITOR VISUAL".split())
_PLAIN_EDITORS = frozenset(("true", ":", "/bin/true", "/usr/bin/true"))
# Where a tool is installed that programs run, such as java:
# https://docs.oracle.com/cd/E19182-01/821-0917/inst_jdk_javahome_t/ https://developer.android.com/tools/variables
_TOOL_HOMES = frozenset(
    "JAVA_HOME JDK_HOME ANDROID_HOME ANDROID_SDK_ROOT GRADLE_HOME MAVEN_HOME NVM_DIR SDKMAN_DIR"
    " ASDF_DIR".split()
)
_ON_THIS_MACHINE = pattern(
    r"unix://.*|(?:(?:tcp|https?)://)?(?:localhost|127\.0\.0\.1|\[::1\])(?::\d+)?(?:/[^@\\]*)?"
)
_SPECIAL = frozenset(_WORDS["special"])
# Their families, with names that later versions may add; and variables that programs heed, which
# may be exported in the shell that runs the command.
_HEEDED = pattern(
    r"""BASH.* | ZSH.* | ZL[ES]_.* | zle_.* | zsh.* | (?:ZFTP|ZCURSES|CORRECT|COMP|READLINE)_.*
    | HIST.* | MAIL.* | PROMPT_.* | .*_functions | dis_.* | LD_.* | DYLD_.*
    | EDITOR | VISUAL | .*PAGER | GIT_.* | PYTHON.* | NODE_.* | PERL.* | RUBY.* | JAVA.*
    | .*_OPTIONS | .*_(?:proxy|PROXY) | LESS.*""",
    re.VERBOSE,
)
# Special ones that only count: a number does no harm, while any other text is evaluated.
_NUMBERS = frozenset("COLUMNS LINES OPTIND RANDOM SECONDS".split())
_TRUSTED_PATH = pattern(r"/(?:usr/(?:local/)?)?s?bin(?::/(?:usr/(?:local/)?)?s?bin)*")


def rule_of(name: str) -> str:
    """The id of a finding about a variable: a name that no table has does not stand in it."""
    if name in _SPECIAL:
        return f"environment/{name}"
    from laconic.knowledge.roles import role_of  # noqa: PLC0415 - few lines set such a variable

    role = role_of("variables", name)
    return f"environment/{role.known(name) if role else 'other'}"


def is_harmless(name: str, value: str | None, words: tuple[str | None, ...] = ()) -> bool:
    """Tell whether a program may be started with this variable; None: a value not known.

    words: the program and its first argument.
    """
    if name == "IFS" and words and words[0] in named("fills"):
        return True  # `IFS=, read -r a b` splits that one line, and nothing else
    if name in _PAGERS:
        return value in _PLAIN_PAGERS
    if name in _EDITORS:
        return value in _PLAIN_EDITORS
    if name == "PATH":
        return value is not None and _TRUSTED_PATH.fullmatch(value) is not None
    if name in _NUMBERS:
        return value is not None and value.isdecimal() and value.isascii()
    if name in _HARMLESS or name.startswith(_HARMLESS_PREFIXES):
        return True
    return bool(words) and _is_unread(name, value, words)


def _is_unread(name: str, value: str | None, words: tuple[str | None, ...]) -> bool:
    """Tell whether the variable is a mere text to the program, as its manual says.

    A variable has no effect of its own: it must decide what runs, what is loaded, or where
    something is sent. Any program that may run code, or load what is installed or in the project,
    is not among those that are known here, for that code reads what it likes.
    """
    if words[0] == "git":
        is_local = words[1:2] and words[1] in _LOCAL_GIT
        if not is_local or "_" in name or name in _READ_BY_GIT or not _is_plain(value):
            return False
    elif words[0] not in _READS_FEW:
        return False
    return (
        _NAME.fullmatch(name) is not None
        and name not in _SPECIAL
        and not any(heeded.fullmatch(name) for heeded in (_HEEDED, _RUNTIME, _CHOOSES))
    )


def _is_plain(value: str | None) -> bool:
    """Tell whether a value is one word, and not a path: it cannot be a command with arguments."""
    return value is not None and _PLAIN.fullmatch(value) is not None


def is_unheard(name: str, program: str | None) -> bool:
    """Tell whether this program does not read the variable, as its manual says.

    Only for what env(1) sets: in fish, `HOME=x cat ~/y` also says where the home is.
    """
    return name in _UNHEARD and program in _COREUTILS


def is_on_this_machine(address: str) -> bool:
    return _ON_THIS_MACHINE.fullmatch(address) is not None


def is_known_server(address: str) -> bool:
    return address.startswith("/") or is_on_this_machine(address)


def is_private(name: str, environment: dict[str, str], value: str | None = None) -> bool:
    """Tell whether `name=value` alone only sets a variable of the script's own.

    The same goes for `unset name`, `read name` and the like; None: a value that is not known.
    """
    if name in _SPECIAL:
        return name in _NUMBERS and is_harmless(name, value)
    if is_harmless(name, None):
        return True
    return _HEEDED.fullmatch(name) is None and name not in environment


def is_tool_home(name: str) -> bool:
    return name in _TOOL_HOMES

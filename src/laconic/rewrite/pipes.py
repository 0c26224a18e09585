"""Which pipes laconic can take off a command and honour itself, and at the end of which it may run.

It honours `| head`, `| tail` and `| grep`; it runs the last of some more that pick, cut or sort.
"""

from __future__ import annotations

from laconic.patterns import pattern
from laconic.shell.ast import (
    Array,
    Assignment,
    Command,
    DoubleQuoted,
    Literal,
    Parameter,
    Part,
    Quoted,
    Redirect,
    Substitution,
    Word,
)
from laconic.shell.words import flat, literal

_LINES = pattern(r"-[0-9]+|-n[0-9]+|--lines=[0-9]+")
_GREP_FLAGS = pattern(r"-[iEFwvx]+")
# Unquoted text that means the same in bash, zsh and sh.
_PLAIN = pattern(r"[A-Za-z0-9_./:@%,+-][A-Za-z0-9_./:@%,+=-]*")
# Unquoted text for which zsh, or bash with failglob, may find no match and end the command.
_GLOBS = pattern(r"[][*?^#<>()|]|^=|^~[^/]")
# They have another value in the subshell that a part of a pipeline is, or change when read.
_LIVELY = pattern(r"BASH\w*|ZSH\w*|EPOCH\w*|S?RANDOM|SECONDS|LINENO|HISTCMD|ERRNO|_|sysparams")
_READ_ONLY = frozenset(("UID", "EUID", "PPID", "GID", "EGID", "SHELLOPTS", "BASHOPTS"))


def is_movable(command: Command, *, nounset: bool) -> bool:
    """Tell whether the first part of a pipeline does the same in the shell as in a subshell of it.

    An expansion may set a variable or fail; in a subshell neither matters to the shell. A redirect
    that fails does not make the pipeline fail, either. nounset: an unset variable makes the
    expansion fail.
    """
    if not all(map(_is_calm_redirect, command.redirects)):
        return False
    for assignment in command.assignments:
        if isinstance(assignment.value, Array) or assignment.index is not None:
            return False
        if assignment.name in _READ_ONLY or _LIVELY.fullmatch(assignment.name):
            return False
    words: list[Word | Assignment | None] = [*command.words]
    words += [found.value for found in command.assignments if isinstance(found.value, Word)]
    return all(
        isinstance(word, Word) and all(_is_calm(p, q, nounset) for p, q in flat(word.parts))
        for word in words
    )


def _is_calm_redirect(redirect: Redirect) -> bool:
    """`2>&1` and `2>/dev/null` cannot fail."""
    return (
        redirect.fd == "2"
        and redirect.heredoc is None
        and (redirect.operator, literal(redirect.target))
        in (
            (">&", "1"),
            (">", "/dev/null"),
        )
    )


def _is_calm(part: Part, quoted: bool, nounset: bool) -> bool:
    if isinstance(part, Literal):
        return quoted or not _GLOBS.search(part.value)
    if isinstance(part, Parameter):
        is_plain = not (part.prefix or part.operator or part.index or part.parts)
        return is_plain and not nounset and not _LIVELY.fullmatch(part.name)
    return isinstance(part, Quoted | Substitution)


def is_strippable(command: Command) -> bool:
    """Tell whether this last stage of a pipeline only picks lines, in a way we know exactly."""
    if command.assignments or command.redirects or not command.words:
        return False
    words = [literal(word) if _is_portable(word) else None for word in command.words]
    known = [word for word in words if word is not None]
    if len(known) != len(words):
        return False
    name, arguments = known[0], known[1:]
    if name in ("head", "tail"):
        return _picks_lines(arguments)
    return name == "grep" and _picks_matches(arguments)


def is_line_tool_name(name: str) -> bool:
    """Tell whether the end of a pipe may be this program: see `is_line_tool`."""
    return name in _PICKERS or name in _WRITERS


def _is_portable(word: Word | Assignment) -> bool:
    """Tell whether every shell reads the word alike: sh will read it instead."""
    if not isinstance(word, Word):
        return False
    return all(_is_portable_part(part) for part in word.parts)


def _is_portable_part(part: Part) -> bool:
    if isinstance(part, Literal):
        return _PLAIN.fullmatch(part.value) is not None
    if isinstance(part, DoubleQuoted):
        return part.style == '"' and all(isinstance(p, Literal | Quoted) for p in part.parts)
    return isinstance(part, Quoted) and part.style in ("'", "\\")


def _picks_lines(arguments: list[str]) -> bool:
    if arguments and arguments[0] in ("-n", "--lines"):
        return len(arguments[1:]) == 1 and arguments[1].isdigit()
    return not arguments or (len(arguments) == 1 and _LINES.fullmatch(arguments[0]) is not None)


def _picks_matches(arguments: list[str]) -> bool:
    """Flags, then one pattern; a second operand would be a file."""
    flags = [word for word in arguments if word.startswith("-")]
    patterns = [word for word in arguments if not word.startswith("-")]
    return (
        len(patterns) == 1
        and "\n" not in patterns[0]
        and all(_GREP_FLAGS.fullmatch(flag) for flag in flags)
    )


# Programs that read lines and write lines of the same text: which options they may have.
_PICKERS = {
    "cat": pattern(r"-u"),
    "head": pattern(r"-[0-9]+|-n|[0-9]+|-n[0-9]+|--lines(?:=[0-9]+)?"),
    "tail": pattern(r"-[0-9]+|-n|\+?[0-9]+|-n\+?[0-9]+|--lines(?:=\+?[0-9]+)?"),
    "grep": pattern(r"-[iEFwvxPae]+|--color=never|-[mABC]|-[mABC]?[0-9]+|[0-9]+"),
    "egrep": pattern(r"-[iwvxae]+"),
    "sort": pattern(r"-[bdfghiMnrRuVs]+|-[kt].*|--reverse|--unique"),
    "uniq": pattern(r"-[iu]+"),
    "sed": pattern(r"-n|[0-9]+(?:,[0-9]+)?p"),
}
# Others, whose lines are not those that came in.
_WRITERS = frozenset(("uniq", "wc", "cut", "tr", "column", "nl", "rev", "fold"))
_ONE = frozenset(("-1", "-n1", "-n 1", "--lines=1", "--lines 1"))
_OF_PATTERN = frozenset(("grep", "egrep"))


def is_line_tool(command: Command) -> bool:
    """Tell whether a stage of a pipeline only picks, cuts or sorts lines, from its input alone."""
    if command.assignments or command.redirects or not command.words:
        return False
    words = [literal(word) for word in command.words]
    name, arguments = words[0], words[1:]
    if name is None or None in arguments:
        return False
    if name in _WRITERS and not keeps_lines(command):
        return not any(_is_file(name, word or "", pos) for pos, word in enumerate(arguments))
    return keeps_lines(command)


def keeps_lines(command: Command) -> bool:
    """Tell whether what comes out are lines that went in, as they were."""
    words = [literal(word) or "" for word in command.words]
    name, arguments = words[0], words[1:]
    allowed = _PICKERS.get(name)
    if allowed is None:
        return False
    free = [word for word in arguments if not allowed.fullmatch(word)]
    return len(free) == 1 if name in _OF_PATTERN else not free


def prints_one_line(command: Command) -> bool:
    """Tell whether a stage prints one line at most: nothing is saved by shortening it."""
    name, *arguments = (literal(word) or "" for word in command.words)
    if name == "wc":
        return True
    return name in ("head", "tail") and " ".join(arguments) in _ONE


def stops_early(command: Command) -> bool:
    """Tell whether a stage may end before its input does, which a producer notices."""
    return literal(command.words[0]) in ("head", "grep", "sed")


def _is_file(name: str, word: str, pos: int) -> bool:
    """Tell whether an argument may name a file: then the input is not read."""
    if name == "tr":
        return False
    return not word.startswith("-") and not (pos and word.isdigit()) and name != "cut"

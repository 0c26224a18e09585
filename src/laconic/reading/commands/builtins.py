"""Builtins of the shell that set variables or say what later words mean.

Unsafe: variables that the shell or programs heed (export, declare, read ...), lists of all
variables (secrets among them), code for later (trap), new meanings (alias), -v of printf, -p of
wait, signals.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise

from laconic.knowledge.arguments import Argument
from laconic.patterns import pattern
from laconic.reading.call import Call
from laconic.reading.environment import is_private
from laconic.reading.secret_files import is_secret_variable
from laconic.reading.zsh import TABLES
from laconic.types import Effect, Kind

_NAME = pattern(r"[A-Za-z_]\w*")
_PLAIN_ELEMENT = pattern(r"[A-Za-z_]\w*(?:\[(?:\w+|@|\*)\])?")
_SHELL_LETTERS = pattern(r"[-+](?:[euxvfCET]+o?|o)|\\+H")
_SHELL_OPTIONS = frozenset(
    "pipefail errexit nounset xtrace verbose noglob noclobber errtrace functrace posix".split()
)
_NUMBER = pattern(r"[+-]?[0-9]*")
_AMOUNT = pattern(r"[0-9]+(?:\.[0-9]+)?")
_SIGNAL = pattern(r"-(?:\d{1,2}|(?:SIG)?[A-Z]+\d?)")
_JOB = pattern(r"%(?:\d+|[%+-])?")


def judge(call: Call) -> None:
    _JUDGES[call.path[0]](call)


def _judge_declarations(call: Call) -> None:
    """export, declare, typeset, local, readonly."""
    is_exported = call.path[0] == "export" or call.parsed.has("-x")
    if not call.parsed.operands:
        if call.path[0] != "local" and not call.parsed.has("-F"):
            call.does(Effect.SECRETS, "list", "prints all variables, secrets among them")
        return
    if call.parsed.has("-p", "-f", "-F") and all(map(_is_name, call.parsed.operands)):
        # shows them; `export -p x=1` sets x in bash, `typeset -F x=1` in zsh
        for operand in call.parsed.operands if call.parsed.has("-p") else ():
            if not operand.is_static or is_secret_variable(operand.text or ""):
                call.does(
                    Effect.SECRETS, Kind.SECRET, "prints a variable that may hold a secret", operand
                )
        return
    for operand in call.parsed.operands:
        _judge_setting(call, operand, is_exported=is_exported)
        value = (operand.text or "=?").partition("=")[2]
        if call.parsed.has("-i", "-F") and not _NUMBER.fullmatch(value):
            call.does(
                Effect.UNCLEAR, "arithmetic", "a value that is evaluated may run commands", operand
            )


def _is_name(operand: Argument) -> bool:
    return operand.is_static and _NAME.fullmatch(operand.text or "") is not None


def _judge_setting(call: Call, operand: Argument, *, is_exported: bool) -> None:
    name, equals, _ = operand.leading.partition("=")
    name = name.removesuffix("+")
    if not _NAME.fullmatch(name) or (operand.text is None and not equals):
        call.does(Effect.UNCLEAR, "name", "a variable whose name is not known", operand)
    elif is_exported:
        known = (
            operand if equals else Argument(None, operand.start, operand.end, leading=f"{name}=")
        )
        call.sets(known)
    else:
        _judge_name(call, name, operand)


def _judge_name(call: Call, name: str, argument: Argument) -> None:
    if not _NAME.fullmatch(name) or not is_private(name, call.judge.facts.environment):
        call.does(
            Effect.UNCLEAR,
            "name",
            f"{name or 'the variable'} may change how programs run",
            argument,
        )


def _judge_reading(call: Call) -> None:
    """read, mapfile, readarray: the operands are variables."""
    for operand in (*call.parsed.operands, *call.parsed.values("-a")):
        if operand.text not in ("REPLY", "MAPFILE", "_"):
            _judge_name(call, operand.text or "", operand)
        if call.parsed.has("-A") and TABLES.fullmatch(operand.text or ""):
            call.does(Effect.UNCLEAR, "name", "changes a table of zsh", operand)
    for value in call.parsed.values("-t", "-n", "-N") if call.path[0] == "read" else ():
        if not value.is_number and not _AMOUNT.fullmatch(value.text or ""):
            call.does(
                Effect.UNCLEAR, "arithmetic", "zsh evaluates this, which may run commands", value
            )


def _judge_unset(call: Call) -> None:
    """A variable that is gone says something, too: without PATH, bash runs `./ls` for `ls`.

    A subscript is evaluated, and may run commands; also behind `command` and `builtin`.
    """
    for operand in call.parsed.operands:
        _judge_element(call, operand)
        if not call.parsed.has("-f") or call.parsed.has("-v"):  # the last one counts in dash
            _judge_name(call, (operand.text or "").partition("[")[0], operand)


def _judge_test(call: Call) -> None:
    """test and [: -v and -R evaluate the name of a variable."""
    for operator, operand in pairwise(call.arguments):
        if operator.text in ("-v", "-R"):
            _judge_element(call, operand)


def _judge_element(call: Call, argument: Argument) -> None:
    if not _PLAIN_ELEMENT.fullmatch(argument.text or ""):
        call.does(
            Effect.UNCLEAR,
            "name",
            "the name of a variable may hold a subscript that runs commands",
            argument,
        )


def _judge_getopts(call: Call) -> None:
    for operand in call.arguments[1:2]:
        _judge_name(call, operand.text or "", operand)


def _judge_set(call: Call) -> None:
    """set: letters and names of options, switched on or off; -o alone lists them."""
    if not call.arguments:
        call.does(Effect.SECRETS, "list", "prints all variables, secrets among them")
    is_name = False
    for argument in call.arguments:
        word = argument.text if argument.is_static and not argument.expanded else None
        is_known = word in _SHELL_OPTIONS if is_name else _SHELL_LETTERS.fullmatch(word or "")
        if not is_known:
            call.does(
                Effect.UNCLEAR,
                Kind.OPTION,
                "changes more than when it stops and what it prints",
                argument,
            )
            return
        is_name = not is_name and (word or "").endswith("o")


def _judge_trap(call: Call) -> None:
    if call.parsed.has("-p", "-l", "-P"):
        return
    operands = call.parsed.operands
    if len(operands) > 1 and operands[0].text not in ("", "-"):
        call.shell(operands[0], call.situation.shells)


def _judge_alias(call: Call) -> None:
    """alias and, in zsh, hash: `name=meaning`."""
    for argument in call.arguments:
        if argument.text is None or "=" in argument.text:
            call.does(Effect.UNCLEAR, "alias", "gives a word another meaning", argument)


def _judge_command(call: Call) -> None:
    """command: with -v and -V it only tells what a name means."""
    if not call.parsed.has("-v", "-V"):
        call.runs(call.parsed.operands)
    for operand in call.parsed.operands:
        if call.parsed.has("-v", "-V") and operand.leading.startswith("-"):
            call.does(Effect.UNCLEAR, "name", "an option behind a name", operand)


def _judge_wait(call: Call) -> None:
    for argument in call.arguments:
        if argument.leading.startswith("-") and argument.text not in ("-n", "-f", "--"):
            call.does(Effect.UNCLEAR, Kind.OPTION, "may set a variable", argument)


def _judge_kill(call: Call) -> None:
    """kill: signal 0 only looks, -l lists; a second option could still name another signal."""
    first = call.arguments[0].text if call.arguments else None
    if _are_own_jobs(call):
        return
    if first not in ("-0", "-l", "-L", "--list", "--table"):
        call.does(Effect.SYSTEM, "signal", "sends a signal to processes")
    rest = call.arguments[1:]
    is_single = len(rest) == 1 and not rest[0].splits
    if not is_single and any(
        not (word.is_static or word.is_number) or word.leading.startswith("-") for word in rest
    ):
        call.does(Effect.SYSTEM, Kind.WORD, "a word that may name another signal")


def _are_own_jobs(call: Call) -> bool:
    """Tell whether a signal goes to jobs that this very shell has started: `kill -9 %1`, `kill $!`.

    https://www.gnu.org/software/bash/manual/html_node/Job-Control-Basics.html
    """
    jobs = call.arguments
    given = [job.text or "" for job in jobs[:2] if job.is_static]
    if given[:1] == ["-s"] and _SIGNAL.fullmatch(f"-{given[-1]}"):
        jobs = jobs[2:]
    elif given and _SIGNAL.fullmatch(given[0]):
        jobs = jobs[1:]
    return bool(jobs) and all(
        job.is_job or (job.is_static and _JOB.fullmatch(job.text or "") is not None) for job in jobs
    )


def _judge_printf(call: Call) -> None:
    first = call.arguments[0] if call.arguments else None
    if first is None:
        return
    may_set = first.leading.startswith("-v") or (not first.leading and first.text is None)
    if may_set and (first.leading or first.splits or len(call.arguments) > 1):
        call.does(Effect.UNCLEAR, "variable", "may set a variable", first)


_JUDGES: dict[str, Callable[[Call], None]] = {
    **dict.fromkeys(("export", "declare", "typeset", "local", "readonly"), _judge_declarations),
    **dict.fromkeys(("read", "mapfile", "readarray"), _judge_reading),
    **dict.fromkeys(("test", "["), _judge_test),
    "set": _judge_set,
    "unset": _judge_unset,
    "getopts": _judge_getopts,
    "trap": _judge_trap,
    **dict.fromkeys(("alias", "hash"), _judge_alias),
    "command": _judge_command,
    "printf": _judge_printf,
    "wait": _judge_wait,
    "kill": _judge_kill,
}

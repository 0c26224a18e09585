"""Shells: `sh -c TEXT` is judged like TEXT, and so is a text that the line itself gives as input.

Unsafe: a script file, other code on standard input, start-up files named by options, code that
another shell than bash reads in another way (quotes, `((`, `[[`, glob qualifiers), unknown code.
"""

from __future__ import annotations

from itertools import chain

from laconic.knowledge.arguments import Argument
from laconic.patterns import pattern
from laconic.reading.bindings import with_arguments
from laconic.reading.call import Call
from laconic.reading.commands.shell_input import may_read_itself
from laconic.reading.other_shells import family
from laconic.types import Effect, Kind

_LETTERS = frozenset("ceiluvxfhlnmBCHEpbs")
_LONG = frozenset("--login --norc --noprofile --no-rcs --verbose --noediting".split())
_SET_OPTIONS = frozenset(
    "errexit nounset pipefail xtrace verbose noglob noclobber noexec emacs vi nolog notify".split()
)
_SHOPT_OPTIONS = frozenset(
    "globstar nullglob dotglob nocaseglob failglob nocasematch inherit_errexit".split()
)
_HIDDEN = "dotglob"
# What texts may stand in: strings of a program, the halves of a `s/a/b/`.
_PIECES = pattern(r"['\"/\n{}|]")

# What zsh reads in another way: glob qualifiers, =(..), =command, ${(flags)..},
# $name[..], and comments only in scripts.
_READ_BY_ZSH = pattern(r"(?<!\$)\(|(?:^|[\s;&|])=|\$\w+\[|\$\{[^}\w]|#|<[0-9]*-|~\[")
_FISH_LETTERS = frozenset("cil")
_BASH_LIKE = frozenset(("bash", "zsh"))
# Of these it is not followed how they read a script from their input.
_NOT_READ_AS_INPUT = frozenset(("fish", "zsh"))


def judge(call: Call) -> None:
    letters: set[str] = set()
    ended = False
    todo = list(reversed(call.arguments))
    while todo and todo[-1].leading[:1] in ("-", "+"):
        word = todo.pop()
        if not word.is_static or not word.text:
            call.does(Effect.UNCLEAR, Kind.OPTION, "an option that is not known", word)
        elif word.text in ("--", "-"):
            ended = True
            break
        elif word.text.startswith("--"):
            if word.text not in _LONG:
                call.does(
                    Effect.UNCLEAR,
                    Kind.OPTION,
                    f"laconic does not know the option {word.text}",
                    word,
                )
        else:
            letters |= _read_letters(call, word, todo)
    _judge_code(call, letters, todo, ended=ended)


def _read_letters(call: Call, word: Argument, todo: list[Argument]) -> set[str]:
    """The letters of `-exc`; o and O take their value from the words that follow."""
    text = word.text or ""
    values: set[str | None] = set()
    for letter in text[1:]:
        if letter in "oO" and todo:
            value = todo.pop()
            values.add(value.text)
            known = _SET_OPTIONS if letter == "o" else _SHOPT_OPTIONS
            if value.text not in known:
                call.does(
                    Effect.UNCLEAR,
                    Kind.OPTION,
                    "sets a shell option that may change how code is read",
                    value,
                )
        elif letter not in _LETTERS:
            call.does(
                Effect.UNCLEAR,
                Kind.OPTION,
                f"laconic does not know the option {text[0]}{letter}",
                word,
            )
    if text[0] == "-":
        return set(text[1:])
    if "n" in text or "noexec" in values:
        call.does(Effect.UNCLEAR, Kind.OPTION, "makes it run what it reads", word)
    return set()


def _judge_code(call: Call, letters: set[str], todo: list[Argument], *, ended: bool) -> None:
    if "n" in letters and "i" not in letters and "c" not in letters and todo:
        if not ended and _may_be_option(todo[-1]):
            call.does(
                Effect.UNCLEAR,
                Kind.OPTION,
                "may be an option that makes it run what it reads",
                todo[-1],
            )
        return  # reads the script for errors, runs nothing
    if "c" in letters and todo:
        _judge_text(call, letters, todo)
    elif todo and "s" not in letters:
        call.runs_file(todo[-1])
    else:
        _judge_input(call, letters)


def _judge_input(call: Call, letters: set[str]) -> None:
    """Code on standard input; without a terminal and -i the shell reads nothing else."""
    code = call.situation.input_text
    for text in call.situation.fed_texts() if code is None else ():
        _judge_text(call, letters, [Argument(text, *call.span)])
    for word in chain(*call.situation.fed_words()) if code is None else ():
        for piece in (word.text or "", *_PIECES.split(word.text or "")):
            call.may_run(Argument(piece, *call.span))
    if code is None or letters & set("ci") or family(call.path[-1]) in _NOT_READ_AS_INPUT:
        call.does(Effect.UNCLEAR, Kind.STDIN, "runs what it reads from standard input", firm=True)
        return
    if may_read_itself(code):
        why = "a command in the code that it reads may read the rest of it"
        call.does(Effect.UNCLEAR, Kind.STDIN, why, firm=True)
    _judge_text(call, letters, [Argument(code, *call.span)])


def _may_be_option(argument: Argument) -> bool:
    """`bash -n $x` runs the script where x is `+n script`; no option has a dot or a slash in it."""
    if argument.leading and (argument.is_static or not argument.splits or argument.glob):
        return False
    if argument.splits and not argument.glob:
        return True
    names = argument.texts
    return not names or not all("." in name or "/" in name for name in names)


def _judge_text(call: Call, letters: set[str], todo: list[Argument]) -> None:
    code = todo[-1]
    if call.path[-1] == "fish" and (len(todo) > 1 or letters - _FISH_LETTERS):
        call.does(Effect.UNCLEAR, Kind.OPTION, "fish may take what follows for options", todo[0])
    reader = family(call.path[-1])
    if reader == "zsh" and code.text is not None and _READ_BY_ZSH.search(code.text):
        call.does(
            Effect.UNCLEAR, "dialect", "zsh may read this code in another way than bash", code
        )
    is_hidden = any(word.text == _HIDDEN for word in call.arguments)
    values = with_arguments(call.situation.values, todo[-3::-1], hidden=is_hidden)
    inside = call.situation.but(values=values)
    call.shell(code, call.situation.shells & _BASH_LIKE | {reader}, inside)

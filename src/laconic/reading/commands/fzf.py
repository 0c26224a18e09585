"""fzf: picks lines.

Unsafe: commands in --preview and in the actions of --bind (execute, become, reload, preview,
transform...); `transform` itself, whose output is actions; --listen-unsafe; --history (writes).
A mark like {} is put in quotes by fzf, so it is one word that is not known; {r} is not.
"""

from __future__ import annotations

import re

from laconic.knowledge.arguments import Argument
from laconic.patterns import pattern
from laconic.reading.call import Call
from laconic.types import Effect

_MARK = pattern(r"\{(\+?)(?:[0-9.,-]*|q(?::[^}]*)?|n|f\+?|s[0-9.,-]*|\*)\}")
_RUNNING = pattern(
    r"(?:^|[:+,])(execute(?:-silent|-multi)?|become|reload(?:-sync)?|preview|change-preview"
    r"|(?:bg-)?transform(?:-[a-z-]+)?)([^\w\s,+-])"
)
_CLOSING = {"(": ")", "[": "]", "{": "}", "<": ">"}
_HARMLESS = pattern(
    r"""(?: abort | accept[a-z-]* | backward-[a-z/-]+ | beginning-of-line | bell | best
      | bg-cancel | cancel | change-(?!preview(?:[:(]|$))[a-z-]+ | clear-[a-z-]+ | close
      | delete-[a-z/-]+ | deselect[a-z-]* | disable-search | down[a-z-]* | enable-search
      | end-of-line | exclude[a-z-]* | first | forward-[a-z-]+ | half-page-[a-z]+ | hide-[a-z]+
      | ignore | jump[a-z-]* | kill-[a-z-]+ | last | next-[a-z]+ | offset-[a-z]+ | page-[a-z]+
      | pos | prev[a-z-]* | print | print-query | put | rebind | refresh-preview | replace-query
      | search | select[a-z-]* | show-[a-z]+ | toggle[a-z-]* | top | track[a-z-]* | trigger
      | unbind | unix-[a-z-]+ | untrack[a-z-]* | up[a-z-]* | yank
    )(?: \([^()]*\) | :[^()]* )?""",
    re.VERBOSE,
)

_KEY = pattern(r"[a-z][a-z0-9-]*")  # `change,focus:abort` binds both


def judge(call: Call) -> None:
    for command in call.parsed.values("--preview"):
        _judge_command(call, command, command.text)
    for binding in call.parsed.values("--bind"):
        if not binding.is_static:
            call.does(Effect.UNCLEAR, "bind", "actions that are not known", binding)
        else:
            _judge_actions(call, binding)


def _judge_command(call: Call, where: Argument, command: str | None) -> None:
    if command is None:
        call.does(Effect.UNCLEAR, "command", "runs a command that is not known", where)
        return
    if any(_in_quotes(command[: mark.start()]) for mark in _MARK.finditer(command)):
        call.does(
            Effect.UNCLEAR,
            "command",
            "a mark in quotes, which undo the quotes that fzf puts",
            where,
        )
    shown = _MARK.sub(lambda m: '"$@"' if m[1] else '"$item"', command)
    if re.search(r"\{[^}\s,]*\}", shown):
        call.does(Effect.UNCLEAR, "command", "a mark that is not put in quotes", where)
    call.shell(Argument(shown, where.start, where.end))


def _in_quotes(before: str) -> bool:
    return before.count('"') % 2 == 1 or before.count("'") % 2 == 1


def _judge_actions(call: Call, binding: Argument) -> None:
    """Take out the actions that run something, then look at the names of the others."""
    text, rest, pos = binding.text or "", "", 0
    while found := _RUNNING.search(text, pos):
        name, opening = found.groups()
        rest += text[pos : found.start(1)] + "ignore"
        end = _end_of_command(text, found.end(), opening)
        if name in ("transform", "bg-transform") or end is None:
            call.does(
                Effect.UNCLEAR,
                "bind",
                f"{name} with actions or a command that is not known",
                binding,
            )
            return
        _judge_command(call, binding, text[found.end() : end])
        pos = end + (opening != ":")
    _judge_names(call, binding, rest + text[pos:])


def _end_of_command(text: str, start: int, opening: str) -> int | None:
    if opening == ":":
        return len(text)
    closing = _CLOSING.get(opening)
    if closing is None:
        return None
    match = pattern(re.escape(closing) + r"(?=[,+]|$)").search(text, start)
    return match.start() if match else None


def _judge_names(call: Call, binding: Argument, text: str) -> None:
    for item in re.split(r",(?![^(]*\))", text):
        _, colon, actions = item.partition(":") if not item.startswith(":") else ("", ":", item[2:])
        if not colon and item not in ("", "+") and not _KEY.fullmatch(item):
            call.does(Effect.UNCLEAR, "bind", "a binding that cannot be read", binding)
        for action in re.split(r"\+(?![^(]*\))", actions):
            if action and not _HARMLESS.fullmatch(action):
                call.does(
                    Effect.UNCLEAR, "bind", f"{action} is not an action that laconic knows", binding
                )

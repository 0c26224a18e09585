"""Judges redirects: files that are written or read without any program saying so."""

from __future__ import annotations

from laconic.knowledge.arguments import expand
from laconic.knowledge.knowledge import Branch, Entry, Match
from laconic.reading.call import Call
from laconic.reading.judge import Judge
from laconic.reading.situation import Situation
from laconic.shell.ast import Redirect
from laconic.types import Decision, Effect

STANDARD_STREAMS = frozenset(("0", "1", "2", "-"))
_REDIRECT_ENTRY = Entry("redirect", {}, "")
_NO_MATCH = Match("redirect", Branch(), [])


def redirect_findings(redirect: Redirect, judge: Judge, situation: Situation) -> list[Decision]:
    call = Call(_NO_MATCH, _REDIRECT_ENTRY, judge, situation, (redirect.start, redirect.end))
    _judge_redirect(redirect, call)
    return call.findings


def _judge_redirect(redirect: Redirect, call: Call) -> None:
    operator = redirect.operator
    if operator in ("<<", "<<-", "<<<"):
        return
    targets = expand((redirect.target,), call.situation.values)
    if len(targets) != 1 or targets[0].glob:
        call.does(Effect.UNCLEAR, "target", "redirects to something that is not known")
        return
    target = targets[0]
    if operator in ("<&", ">&"):
        stream = target.text
        if stream in STANDARD_STREAMS:
            return
        if stream is None or stream.rstrip("-").isdigit():
            call.does(
                Effect.UNCLEAR,
                "stream",
                "redirects to a stream that is not one of the standard ones",
            )
            return
    if operator in ("<", "<&", "<>"):
        call.reads(target)
    if operator not in ("<", "<&"):
        call.writes(target)

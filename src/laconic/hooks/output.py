"""Compacts the output of a command that has run without laconic, for the agent. Off by default.

Only for one plain command with a filter. The raw output is kept first, so that all of it can be
recalled. In doubt the agent reads what the command wrote.
"""

from __future__ import annotations

from laconic.compact.bound import attempt
from laconic.compact.hits import hits_of
from laconic.compact.lines import read_streams
from laconic.compact.load import load_filters
from laconic.compact.notice import notice
from laconic.compact.pipeline import compact
from laconic.hooks.call import dialect_of
from laconic.hooks.response import Response
from laconic.knowledge.arguments import evaluate
from laconic.knowledge.catalog import library
from laconic.record.runs import Run, record_run
from laconic.record.store import Store
from laconic.rewrite.configured import rewritten
from laconic.run.launcher import typed_name
from laconic.secrets.mask import Masker
from laconic.shell import parse
from laconic.shell.walk import commands

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from laconic.compact.filter import Filter
    from laconic.compact.hits import Hits
    from laconic.compact.result import Compacted
    from laconic.hooks.call import HookCall
    from laconic.hooks.response import Output
    from laconic.settings.load import Settings

# An unknown exit status counts as a failure: then every diagnostic stays.
_UNKNOWN_STATUS = 1


def replacement(call: HookCall, settings: Settings, environ: Mapping[str, str]) -> Response:
    """Return the compact output as a response, or an empty one."""
    if not settings.config.hooks.replace_output or settings.environment.no_filter:
        return Response()
    if "replace" not in call.event.can or len(call.commands) != 1:
        return Response()
    output = dialect_of(call.agent).output(call)
    wanted, hits = _filter(call, settings) if output else (None, None)
    if output is None or wanted is None:
        return Response()
    out, err = _bytes(output.out), _bytes(output.err)
    masker = Masker.of(environ)
    lines = read_streams(masker.mask(out, 1), masker.mask(err, 2))
    status = _UNKNOWN_STATUS if output.status is None else output.status
    is_own = wanted.source != "built-in"
    size = len(out) + len(err)
    found, _ = attempt(lambda: compact(wanted, status, lines, hits), size, is_own=is_own)
    if found is None:
        return Response()
    raw_id = _keep(settings, {"out": out, "err": err} if err else {"out": out})
    record_run(settings.directories.state, _run(call, found, output, raw_id))
    shown = {"out": found.text("out"), "err": found.text("err")}
    said = notice(found, raw_id, typed_name(environ), masker.found)
    shown["out"] += f"{said}\n" if said else ""
    return Response(output=shown)


def _filter(call: HookCall, settings: Settings) -> tuple[Filter | None, Hits | None]:
    """Return the filter of a command that laconic would have wrapped as a whole, and its hits."""
    text = call.commands[0]
    rewriting = rewritten(text, settings)
    found = commands(parse(text)) if [n.action for n in rewriting.notes] == ["run"] else ()
    if len(found) != 1:
        return None, None
    arguments = evaluate(found[0].command.words, {})
    wanted = load_filters(settings, library()).filters.find(arguments)
    return wanted, hits_of(argument.text for argument in arguments)


def _keep(settings: Settings, streams: dict[str, bytes]) -> str:
    bounds = settings.config.compact
    return Store(settings.directories.state, bounds.store_mb, bounds.store_days).keep(streams)


def _run(call: HookCall, found: Compacted, output: Output, raw_id: str) -> Run:
    session = call.data.get("session_id")
    return Run(
        call.commands[0],
        filter_id=found.filter,
        status=output.status,
        raw_bytes=len(_bytes(output.out)) + len(_bytes(output.err)),
        raw_chars=len(output.out) + len(output.err),
        raw_tokens=found.tokens_raw,
        shown_tokens=found.tokens,
        agent=call.agent.name,
        session=session if isinstance(session, str) else "",
        raw_id=raw_id,
    )


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "replace")

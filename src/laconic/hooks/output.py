"""Compacts the output of a command that laconic did not compact when it ran, for the agent.

Only for one plain command with a filter, perhaps after `cd`. The raw output is kept first, so that
all of it can be recalled. In doubt the agent reads what the command wrote.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from laconic.compact.bound import attempt
from laconic.compact.filter import Filter
from laconic.compact.hits import Hits, hits_of
from laconic.compact.lines import read_streams
from laconic.compact.load import load_filters
from laconic.compact.notice import notice
from laconic.compact.pipeline import compact
from laconic.compact.result import Compacted
from laconic.hooks.call import HookCall, dialect_of
from laconic.hooks.response import Output, Response
from laconic.knowledge.arguments import evaluate
from laconic.knowledge.catalog import library
from laconic.permissions.sandbox import sandbox_of
from laconic.record.runs import Run, record_run
from laconic.record.store import Store
from laconic.rewrite.from_config import rewritten
from laconic.run.launcher import NAME, find_launcher, typed_name, with_plain_name
from laconic.secrets.mask import Masker
from laconic.settings.load import Settings
from laconic.shell import parse
from laconic.shell.ast import Assignment, Word
from laconic.shell.walk import commands
from laconic.shell.words import literal

# An unknown exit status counts as a failure: then every diagnostic stays.
_UNKNOWN_STATUS = 1


def replacement(call: HookCall, settings: Settings, environ: Mapping[str, str]) -> Response:
    """Return the compact output as a response, or an empty one."""
    if settings.config.hooks.replace_output == "never":
        return Response()
    if settings.environment.no_filter or settings.environment.disabled:
        return Response()
    if "replace" not in call.event.can or len(call.commands) != 1:
        return Response()
    is_left = _is_left_as_it_is(call, environ)
    command = _inner(call.commands[0], environ) if is_left else call.commands[0]
    output = dialect_of(call.agent).output(call)
    wanted, hits = _filter(command, settings) if output else (None, None)
    if output is None or wanted is None:
        return Response()
    text, line = _without_notice(output.out) if is_left else (output.out, "")
    out, err = _bytes(text), _bytes(output.err)
    masker = Masker.of(environ)
    lines = read_streams(masker.mask(out, 1), masker.mask(err, 2))
    status = _UNKNOWN_STATUS if output.status is None else output.status
    is_own = wanted.source != "built-in"
    size = len(out) + len(err)
    found, _ = attempt(lambda: compact(wanted, status, lines, hits), size, is_own=is_own)
    if found is None:
        return Response()
    raw_id = _keep(settings, {"out": out, "err": err} if err else {"out": out})
    record_run(settings.directories.state, _run(call, command, found, output, raw_id))
    shown = {"out": found.text("out"), "err": found.text("err")}
    said = notice(found, raw_id, typed_name(environ), masker.found)
    shown["out"] += (f"{said}\n" if said else "") + line
    return Response(output=shown)


def _is_left_as_it_is(call: HookCall, environ: Mapping[str, str]) -> bool:
    """Tell whether laconic ran where it can keep no output, so that it hid nothing but secrets."""
    known = call.agent.sandbox
    if "transcript" not in known:
        return False

    sandbox = sandbox_of(call.agent, call.data, call.directory, call.directory, environ)
    return sandbox is not None and sandbox.is_read_only


def _without_notice(text: str) -> tuple[str, str]:
    """Split off the line that says which secrets laconic has masked: it is no output."""
    body, _, last = text.removesuffix("\n").rpartition("\n")
    is_ours = last.startswith("[laconic: ") and last.endswith(" masked]")
    return (f"{body}\n", f"{last}\n") if is_ours else (text, "")


def _inner(text: str, environ: Mapping[str, str]) -> str:
    """Return the command that laconic was to run, if that is all of a text."""
    launcher = find_launcher(environ)[1]
    return with_plain_name(text, launcher).removeprefix(f"{NAME} run ")


def _filter(text: str, settings: Settings) -> tuple[Filter | None, Hits | None]:
    """Return the filter of the command that laconic would have wrapped, and its hits."""
    notes = [note.action for note in rewritten(text, settings).notes]
    found = [each.command.words for each in commands(parse(text))]
    if len(found) != len(notes) or notes.count("run") != 1:
        return None, None
    words = found.pop(notes.index("run"))
    if not all(map(_goes_to_directory, found)):
        return None, None
    arguments = evaluate(words, {})
    wanted = load_filters(settings, library()).filters.find(arguments)
    return wanted, hits_of(argument.text for argument in arguments)


def _goes_to_directory(words: Sequence[Word | Assignment]) -> bool:
    """Tell a `cd` that prints nothing; `cd -` prints where it goes."""
    match [literal(word) for word in words]:
        case ["cd", str(directory)]:
            return not directory.startswith("-")
    return False


def _keep(settings: Settings, streams: dict[str, bytes]) -> str:
    bounds = settings.config.compact
    return Store(settings.directories.state, bounds.store_mb, bounds.store_days).keep(streams)


def _run(call: HookCall, command: str, found: Compacted, output: Output, raw_id: str) -> Run:
    return Run(
        command,
        filter_id=found.filter,
        status=output.status,
        raw_bytes=len(_bytes(output.out)) + len(_bytes(output.err)),
        raw_chars=len(output.out) + len(output.err),
        raw_tokens=found.tokens_raw,
        shown_tokens=found.tokens,
        agent=call.agent.name,
        session=call.ids.get("session", ""),
        raw_id=raw_id,
    )


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "replace")

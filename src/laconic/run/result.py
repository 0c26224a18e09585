"""Makes the result of a run: compacts the output, keeps what that hides, and records the run."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial

from laconic.compact.again import without_known
from laconic.compact.lines import Lines, read_streams
from laconic.compact.result import SHORT, Compacted, Shown
from laconic.compact.tokens import estimate
from laconic.compact.view import (
    hidden_notice,
    masked_notice,
    masked_status_notice,
    open_notice,
    render,
    with_lines,
    within,
)
from laconic.errors import LaconicError
from laconic.record.kept import is_apart
from laconic.record.runs import Run, record_run
from laconic.record.store import Store
from laconic.record.tokenizer import MOST_BYTES, counts
from laconic.run.finished import FinishedOutput
from laconic.run.launcher import typed_name
from laconic.run.pipes import matches, pick
from laconic.run.plan import RunPlan
from laconic.run.spool import BOTH, ERR, OUT
from laconic.run.task import Task
from laconic.run.window import LARGE, look_through
from laconic.settings.environ import agent_of

# What may be shown after a failure, where a `head` or `tail` was taken off, of what that picks.
# After a success, also where it was a `grep`, nothing beyond that is shown.
_AFTER_FAILURE = 3
_HEAD_SHARE = {"head": 0.7, "tail": 0.3}  # of the room, for the beginning

_MOST_KNOWN = 1 << 20  # characters of a run before that are looked at
_MOST_READ = 20_000  # of what was shown of it, which agents read whole

WINDOW = "window"  # instead of a filter's id, for an output that was not examined as a whole


class RunResult:
    """What is printed instead of an output, and what the records say about it.

    texts: by stream, None for the output as it is. status: the exit status of the whole, with the
    pipe that was taken off. piped: what that pipe leaves, None without one; theirs: the same with
    stderr, by stream. most: the tokens that may be shown, None without a bound. hidden, total:
    lines. is_exact: the tokens are counted, not estimated.
    """

    def __init__(self, status: int) -> None:
        self.status = status
        self.texts: dict[str, bytes] | None = None
        self.filter_id = self.raw_id = ""
        self.hidden = self.total = self.raw_tokens = self.shown_tokens = 0
        self.piped: bytes | None = None
        self.theirs: dict[str, bytes] = {}
        self.most: int | None = None
        self.piped_tokens: int | None = None
        self.is_exact = self.is_override = False


def prepare(
    task: Task, plan: RunPlan, source: FinishedOutput, status: int, environ: Mapping[str, str]
) -> RunResult:
    """Decide what is printed, and keep what that hides."""
    result = RunResult(status)
    result.raw_tokens = source.tokens()
    source.program = task.launcher or typed_name(environ)
    # This comes before keeping, because keeping a large output moves its file away.
    picked = pick(task.pipe, source.path, environ) if task.pipe else None
    if picked is not None:
        _take_piped(result, task, source, picked[1])
    if source.size and not plan.view.is_exact:
        if source.size > LARGE:
            _show_windows(result, source)
        elif plan.view.has_stages or not source.followers:
            _show_whole(result, task, plan, source, environ)
        else:
            _show_rest(result, task, plan, source)
    if result.texts is not None:
        _complete_lines(result.texts, source)
    if result.texts is not None and not _keep(result, plan, source):
        result.texts, result.filter_id = None, ""
    if result.texts is None and picked is None:
        _show_masked(result, plan, source)
    if picked is None and source.is_open:
        _show_open(result, plan, source)
    if picked is not None:
        _honour_pipe(result, task, plan.program, picked[0])
    if result.texts is None:
        result.shown_tokens = result.raw_tokens
    else:
        before = result.raw_tokens * source.output.printer.written // max(source.size, 1)
        result.shown_tokens = before + sum(map(_tokens, result.texts.values()))
    _remember(task, plan, result, status)  # before anything is printed: the next run may follow
    return result


def _complete_lines(texts: dict[str, bytes], source: FinishedOutput) -> None:
    """Begin with what is left of a line of which a part was shown while the command ran."""
    for name, follower in source.followers.items():
        stream = OUT if name == BOTH else name
        if follower.rest:
            texts[stream] = follower.rest + texts.get(stream, b"")


def _remember(task: Task, plan: RunPlan, result: RunResult, status: int) -> None:
    if plan.stepped or (plan.can_step_back(task) and result.raw_id):
        names = (plan.project, task.command, plan.program)
        is_whole = bool(plan.stepped)
        plan.step_back.ran(*names, result.raw_id, status=status, is_whole=is_whole)


def _without_known(
    compacted: Compacted,
    result: RunResult,
    task: Task,
    plan: RunPlan,
    source: FinishedOutput,
    was_streamed: Callable[[Shown], bool] = lambda _row: False,
) -> Compacted:
    """Leave out what this session has read of the run before, if that failed as this one did."""
    is_known = plan.has_session and plan.can_step_back(task) and source.spool.records
    if not result.status or not is_known:
        return compacted
    raw_id, status = plan.step_back.last(plan.project, task.command)
    if not raw_id or status != result.status:
        return compacted
    masked = source.masked
    try:
        found = Store(source.spool.records).load(raw_id)
    except (OSError, LaconicError):
        return compacted
    known = {name: source.without_secrets(name, data) for name, data in found.items()}
    source.masked = masked
    lines = read_streams(known.get(BOTH, known.get(OUT, b"")), known.get(ERR, b""))
    if lines.size > _MOST_KNOWN:
        return compacted
    before = plan.view.compacted(status, lines)
    texts = [row.text for row in before.shown] if before else list(lines.texts)
    if sum(map(len, texts)) > _MOST_READ:
        return compacted
    return without_known(compacted, texts, was_streamed)


# -- what is shown -----------------------------------------------------------------------------


def _show_whole(
    result: RunResult, task: Task, plan: RunPlan, source: FinishedOutput, environ: Mapping[str, str]
) -> None:
    view, lines = plan.view, source.lines(LARGE)
    if lines is None:
        _show_windows(result, source)
        return
    compacted = view.compacted(result.status, lines, source.printed_lines(lines))
    if compacted is None:
        if source.is_changed:  # what follows is already printed
            _show_rest(result, task, plan, source)
        return
    if task.pipe:
        compacted = with_lines(compacted, matches(task.pipe, source.path, environ))
    if result.most is not None and result.status:
        share = _HEAD_SHARE.get(_picker(task), _HEAD_SHARE["tail"])
        compacted = within(compacted, result.most, share)
    was_streamed = partial(_was_streamed, lines=lines, source=source)
    compacted = _without_known(compacted, result, task, plan, source, was_streamed)
    texts = render(compacted, source.spool.raw_id, was_streamed, source.program, source.masked)
    result.texts = {stream: _encoded(text) for stream, text in texts.items()}
    result.hidden, result.total = compacted.hidden, len(lines)
    result.filter_id = view.name


def _show_rest(result: RunResult, task: Task, plan: RunPlan, source: FinishedOutput) -> None:
    """Without a filter, compact only the part that was not shown yet."""
    view, lines = plan.view, source.lines(LARGE, behind_shown=True)
    if lines is None:
        _show_windows(result, source)
        return
    compacted = view.compacted(result.status, lines)
    if compacted is None and not source.is_changed:
        return
    if compacted is None:
        result.texts = source.read(behind_shown=True)
    else:
        compacted = _without_known(compacted, result, task, plan, source)
        result.texts = {stream: _encoded(compacted.text(stream)) for stream in (OUT, ERR)}
        result.hidden = compacted.hidden
    result.hidden += source.hidden_lines
    result.total = source.shown_lines + len(lines)
    shortened = sum(row.kind == SHORT for row in compacted.shown) if compacted else 0
    parts = [f"{result.hidden}/{result.total} lines hidden"] if result.hidden else []
    if compacted and compacted.again:
        parts = [compacted.again, *parts]
    elif compacted and result.hidden == result.total:
        parts = [f"{result.total} lines condensed to {len(compacted.shown)}"]
    if compacted and compacted.regrouped and not result.hidden:
        parts.append(f"{compacted.regrouped} lines regrouped")
    parts += [f"{shortened} shortened"] if shortened else []
    if parts or source.masked:  # else only colours and overwritten text are gone
        size = source.size if result.hidden else 0
        line = hidden_notice(parts, size, source.spool.raw_id, source.program, source.masked)
        line = "\n".join([*(compacted.gone if compacted else []), line])
        stream = compacted.changed_stream if compacted and not source.hidden_lines else OUT
        result.texts[stream] += _encoded(line)
    result.filter_id = view.name


def _show_windows(result: RunResult, source: FinishedOutput) -> None:
    result.texts = {}
    result.hidden, result.total = source.hidden_lines, source.shown_lines
    source.masked = source.shown_masked
    for stream in source.sizes:
        mask = partial(source.without_secrets, stream)
        window = look_through(source.spool, stream, source.start(stream), mask)
        result.texts[OUT if stream == BOTH else stream] = _encoded(window.text)
        result.hidden += window.hidden
        result.total += window.total
    what = f"{result.hidden}/{result.total} lines hidden" if result.hidden else "lines shortened"
    what += f" ({source.size >> 20} MB: only the ends and diagnostics are shown)"
    line = hidden_notice([what], source.size, source.spool.raw_id, source.program, source.masked)
    result.texts[OUT] += _encoded(line)
    result.filter_id = WINDOW


def _show_masked(result: RunResult, plan: RunPlan, source: FinishedOutput) -> None:
    """Show everything but the secrets, if there are any; the printer masks them."""
    source.masked = source.count_secrets()
    if not source.masked:
        return
    program = source.program if _keep(result, plan, source) else ""
    if source.size > LARGE and program:
        _show_windows(result, source)
        return
    result.texts = _unshown(source)
    line = masked_notice(source.masked, source.spool.raw_id, program)
    result.texts[OUT] = _with_last_newline(result.texts[OUT]) + _encoded(line)


def _show_open(result: RunResult, plan: RunPlan, source: FinishedOutput) -> None:
    """Add a notice that more may come; the kept copy is updated as long as it does."""
    if result.texts is None and source.size > LARGE:
        return
    if not result.raw_id and not _keep(result, plan, source):
        return
    if result.texts is None:
        result.texts = _unshown(source)
    line = open_notice(result.raw_id, source.program)
    result.texts[OUT] = _with_last_newline(result.texts.get(OUT, b"")) + _encoded(line)


def _unshown(source: FinishedOutput) -> dict[str, bytes]:
    """Return what was not printed yet, as it is."""
    return {
        OUT if stream == BOTH else stream: source.spool.read(stream, source.printed[stream], size)
        for stream, size in source.sizes.items()
    }


def _with_last_newline(text: bytes) -> bytes:
    return text + b"\n" if text and not text.endswith(b"\n") else text


def _picker(task: Task) -> str:
    return task.pipe.partition(" ")[0]


def _take_piped(result: RunResult, task: Task, source: FinishedOutput, piped: bytes) -> None:
    """Take what the pipe leaves, which bounds what is shown instead: that much was asked for."""
    result.piped = source.without_secrets(OUT, piped)
    result.piped_tokens = _tokens(result.piped)
    rest = source.spool.read(ERR, 0, source.sizes[ERR]) if ERR in source.sizes else b""
    result.theirs = {OUT: result.piped, ERR: source.without_secrets(ERR, rest)}
    if task.prefer_less or not result.status or _picker(task) in _HEAD_SHARE:
        may_be_more = result.status and not task.prefer_less
        most = sum(map(_tokens, result.theirs.values()))
        result.most = most * _AFTER_FAILURE if may_be_more else most


def _honour_pipe(result: RunResult, task: Task, program: str, status: int) -> None:
    """Use the pipe's own result if we have none, or if ours is more than may be shown."""
    command_status, result.status = result.status, status
    ours = None if result.filter_id == WINDOW else result.texts
    cost = sum(map(_tokens, ours.values())) if ours else 0
    if ours is None or (result.most is not None and cost > result.most):
        result.is_override = ours is not None
        ours = result.theirs
    if command_status and not result.status:
        if task.pipefail:
            result.status = command_status
        else:
            ours[OUT] += _encoded(masked_status_notice(program, command_status))
    result.texts = ours


def _was_streamed(row: Shown, lines: Lines, source: FinishedOutput) -> bool:
    """Tell whether a row was shown while the command ran."""
    if not row.numbers:
        return False
    is_err = row.numbers[-1] > lines.out_count
    stream = BOTH if BOTH in source.sizes else (ERR if is_err else OUT)
    number = row.numbers[-1] - (lines.out_count if is_err else 0)
    return stream in source.followers and number <= source.followers[stream].lines


# -- keeping, printing, recording ----------------------------------------------------------------


def _keep(result: RunResult, plan: RunPlan, source: FinishedOutput) -> bool:
    limits = plan.settings.config.compact
    if not source.spool.records:
        return False
    try:
        result.raw_id = source.spool.keep(limits.store_mb, limits.store_days)
    except OSError:
        return False
    return True


def record_result(
    task: Task,
    plan: RunPlan,
    result: RunResult,
    source: FinishedOutput,
    duration_s: float,
    environ: Mapping[str, str],
) -> None:
    """Record the run after everything is printed, because counting tokens may take a moment."""
    if not source.spool.records:
        return
    if not is_apart(source.spool.records):  # a sandbox waits for us, and loading that takes long
        _count_tokens(result, source)
    record_run(source.spool.records, run_of(task, plan, result, source, duration_s, environ))


def run_of(
    task: Task,
    plan: RunPlan,
    result: RunResult,
    source: FinishedOutput,
    duration_s: float,
    environ: Mapping[str, str],
) -> Run:
    """Return what the records say about the run."""
    agent, session = agent_of(environ)
    return Run(
        task.command,
        program=plan.program,
        filter_id=result.filter_id,
        status=result.status,
        duration_ms=round(duration_s * 1000),
        raw_bytes=source.size,
        raw_chars=source.size,
        raw_tokens=result.raw_tokens,
        piped_tokens=result.piped_tokens,
        shown_tokens=result.shown_tokens,
        exact=result.is_exact,
        pipe_override=result.is_override,
        project=plan.project,
        agent=agent,
        session=session,
        raw_id=result.raw_id,
    )


def _count_tokens(result: RunResult, source: FinishedOutput) -> None:
    """Replace estimates by counts, if a tokenizer is installed."""
    is_again = result.texts is None and source.is_changed  # all of it, after a part of it
    if is_again or source.masked or not source.is_known or source.size > MOST_BYTES:
        return
    raw = source.read()
    shown = {} if result.texts is None else _all_shown(result.texts, source, raw)
    tokens = counts([*raw.values(), *shown.values(), result.piped or b""])
    if tokens is None:
        return
    result.raw_tokens = result.shown_tokens = sum(tokens[: len(raw)])
    if result.texts is not None:
        result.shown_tokens = sum(tokens[len(raw) : -1])
    if result.piped is not None:
        result.piped_tokens = tokens[-1]
    result.is_exact = True


def _all_shown(
    texts: Mapping[str, bytes], source: FinishedOutput, raw: Mapping[str, bytes]
) -> dict[str, bytes]:
    """Return the texts, each after what was shown of its stream while the command ran."""
    shown = dict(texts)
    for name in source.sizes:
        stream = OUT if name == BOTH else name
        shown[stream] = source.shown(name, raw[stream]) + texts.get(stream, b"")
    return shown


def _tokens(data: bytes) -> int:
    return estimate(data.decode("utf-8", "surrogateescape"))


def _encoded(text: str) -> bytes:
    return text.encode("utf-8", "surrogateescape")

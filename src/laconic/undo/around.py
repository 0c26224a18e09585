"""What happens around a command: keep before it, and say what is not; look again after it."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Mapping

from laconic.errors import LaconicError
from laconic.git.objects import Objects, blob_id
from laconic.git.repository import find_repository
from laconic.record.kept import is_refused
from laconic.settings.environ import agent_of
from laconic.undo.entry import FILE, LINK, Entry, open_to_read
from laconic.undo.hold import Holding, measured
from laconic.undo.keep import About, Keep
from laconic.undo.reach import Reach
from laconic.undo.store import Held, Store
from laconic.undo.survey import TooMuchError

_MEGABYTE = 1 << 20
_LARGE = 4 << 20  # bytes of a file; what is larger is not compared
_MOST_READ = 500  # files; of more, all count as lost


class Around:
    """A command that can be taken back, or cannot.

    refusal: why nothing is kept. warning: the line that says, before it runs, what may be lost.
    """

    def __init__(self) -> None:
        self.held: Held | None = None
        self.refusal = self.warning = ""

    def finish(self) -> Keep | None:
        """Write down what the command changed; None if nothing can be undone."""
        held, self.held = self.held, None
        return held.finish() if held is not None else None

    def drop(self) -> None:
        """Forget what was kept: the command did not run."""
        held, self.held = self.held, None
        if held is not None:
            held.drop()

    def close(self) -> None:
        """Let the next laconic find out what the command changed, if that is not known yet."""
        held, self.held = self.held, None
        if held is not None:
            held.close()


class NoPlaceError(LaconicError):
    """Nothing can be kept from here, as in an agent's sandbox: the command must not run."""

    def __init__(self, why: str) -> None:
        super().__init__(
            f"the command was not run: nothing can be kept here for `laconic undo`: {why}",
            "outside of the agent's sandbox it can be undone; here it runs without --undo",
        )


def _reason(error: OSError) -> str:
    return (error.strerror or str(error)).lower()


def begin(reach: Reach, about: About, store: Store) -> Around:
    """Keep what a command may change. Whatever goes wrong, the command runs, and we say why.

    Everything around an unknown command is kept if that is cheap.
    """
    around = Around()
    if not reach:
        return around
    holding = measured(reach, limit_bytes=store.limit_bytes)
    about.notes = _not_kept(holding, reach)
    if holding.survey is None or not (reach.places or holding.is_wide):
        around.refusal = holding.reason
    else:
        try:
            around.held = store.keep(holding.reach, holding.survey, about)
        except TooMuchError as error:
            around.refusal = error.message
        except OSError as error:
            if is_refused(error) and store.concerns(error.filename):
                raise NoPlaceError(_reason(error)) from error
            around.refusal = _reason(error)
    around.warning = _warning(around.refusal, holding, reach)
    if around.refusal or about.notes:
        store.note_doubt(around.held, about, around.refusal)
    return around


def _not_kept(holding: Holding, reach: Reach) -> list[str]:
    """Say what an undo will not bring back, for whoever asks for one later."""
    doubt = reach.doubts[0] if reach.doubts else ""
    if not holding.is_wide:
        what = f"whatever else it has changed ({doubt})" if doubt else holding.reason
        return [what] if what else []
    outside = f"what it may have changed outside of {_trees(reach)} ({doubt})"
    return [outside, holding.reason] if holding.reason else [outside]


def _warning(refusal: str, holding: Holding, reach: Reach) -> str:
    if refusal:
        said = f"no undo for this: {refusal}"
    elif reach.doubts:
        kept = f"all of {_trees(reach)}" if holding.is_wide else "only what it is known to change"
        left = holding.survey.left_out if holding.survey is not None and holding.is_wide else ()
        without = f" but {left[0]}" if left else ""
        said = f"it is not certain what this changes ({reach.doubts[0]}); {kept}{without} is kept"
    else:
        return ""
    return f"[laconic: {' '.join(said.split())}]\n"


def _trees(reach: Reach) -> str:
    return " and ".join(sorted(reach.around))


def about_run(command: str, directory: str, environment: Mapping[str, str]) -> About:
    """Describe a run for the list of what can be undone; secrets in the command are left out."""
    from laconic.secrets.redact import redact  # noqa: PLC0415 - not where nothing is kept

    about = About(redact(command), directory)
    about.agent, about.session = agent_of(environment)
    return about


def lost(keep: Keep) -> list[str]:
    """Return the files whose content is nowhere else after a command, without git's own files.

    What git has, it brings back, and what an agent has edited in place, the agent does.
    """
    known: dict[str, Objects | None] = {}
    paths = []
    every = keep.finish()
    for path, after in every.items():
        before = keep.before.get(path)
        if before is None or before.kind not in (FILE, LINK):
            continue
        is_git = "/.git/" in path or any(path.startswith(store[:-7]) for store in keep.stores)
        is_many = len(every) > _MOST_READ
        if not is_git and (is_many or _is_lost(keep, path, before, after, known)):
            paths.append(path)
    return paths


def _is_lost(
    keep: Keep, path: str, before: Entry, after: Entry | None, known: dict[str, Objects | None]
) -> bool:
    folder = os.path.dirname(path)
    if folder not in known:
        found = find_repository(folder)
        known[folder] = found.objects if found else None
    objects = known[folder]
    try:
        old = keep.content(before, _LARGE) if before.kind == FILE else os.fsencode(before.target)
        if objects is not None and len(old) < _LARGE and objects.has(blob_id(old)):
            return False
        if after is None or FILE not in (before.kind, after.kind) or after.size >= _LARGE:
            return True
        with open(open_to_read(path), "rb") as file:
            new = file.read(_LARGE)
    except OSError:
        return True
    if objects is not None and objects.has(blob_id(new)):
        return True  # git has put another content there
    return not _is_edited(old, new)


def _is_edited(old: bytes, new: bytes) -> bool:
    """Tell whether most lines are as they were."""
    left = Counter(new.split(b"\n"))
    lines = old.split(b"\n")
    same = (Counter(lines) & left).total()
    return 2 * same >= len(lines)


def notice(keep: Keep | None, launcher: str) -> str:
    """Return the one line for the agent; empty unless something was destroyed."""
    files = lost(keep) if keep is not None else ()
    if keep is None or not files:
        return ""
    count, them = ("1 file", "it") if len(files) == 1 else (f"{len(files):,} files", "them")
    how = f"{launcher} undo {keep.id} brings {them} back"
    return f"[laconic: kept {count} before this ran; {how}]\n"

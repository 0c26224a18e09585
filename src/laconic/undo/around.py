"""What happens around the run of a command: keep before it, look again after it, say so."""

from __future__ import annotations

from laconic.settings.environ import agent_of
from laconic.undo.entry import FILE, LINK
from laconic.undo.hold import measured
from laconic.undo.keep import About
from laconic.undo.survey import TooMuchError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from laconic.undo.keep import Keep
    from laconic.undo.reach import Reach
    from laconic.undo.store import Held, Store

_MEGABYTE = 1 << 20


class Around:
    """A command that can be taken back, or cannot; refusal: why nothing is kept."""

    __slots__ = ("held", "refusal")

    def __init__(self) -> None:
        self.held: Held | None = None
        self.refusal = ""

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


def begin(reach: Reach, about: About, store: Store, *, is_asked: bool) -> Around:
    """Keep what a command may change. Whatever goes wrong, the command runs, and we say why.

    is_asked: the user wants an undo, so everything around an unknown command is kept if cheap.
    """
    around = Around()
    if not reach.places and not (is_asked and reach.around):
        return around
    holding = measured(reach, with_surroundings=is_asked, limit_bytes=store.limit_bytes)
    if holding.survey is None:
        around.refusal = holding.reason
        return around
    if holding.reason:
        about.notes = [holding.reason]
    try:
        around.held = store.keep(holding.reach, holding.survey, about)
    except TooMuchError as error:
        around.refusal = error.message
    except OSError as error:
        around.refusal = (error.strerror or str(error)).lower()
    return around


def about_run(command: str, directory: str, environment: Mapping[str, str]) -> About:
    """Describe a run for the list of what can be undone; secrets in the command are left out."""
    from laconic.secrets.redact import redact  # noqa: PLC0415 - not where nothing is kept

    about = About(redact(command), directory)
    about.agent, about.session = agent_of(environment)
    return about


def lost(keep: Keep) -> list[str]:
    """Return the files whose content a command has changed or removed, without git's own files."""
    paths = []
    for path, after in keep.finish().items():
        before = keep.before.get(path)
        if before is None or before.kind not in (FILE, LINK):
            continue
        is_git = "/.git/" in path or any(path.startswith(s[:-7]) for s in keep.stores)
        if not is_git or (after is None and "/refs/" in path and not path.endswith("/HEAD")):
            paths.append(path)
    return paths


def notice(around: Around, keep: Keep | None, launcher: str) -> str:
    """Return the one line for the agent; empty unless something was destroyed or is not kept."""
    if around.refusal:
        return f"[laconic: no undo for this: {around.refusal}]\n"
    if keep is None:
        return ""
    files = lost(keep)
    if not files:
        return ""
    count, them = ("1 file", "it") if len(files) == 1 else (f"{len(files):,} files", "them")
    how = f"{launcher} undo {keep.id} brings {them} back"
    return f"[laconic: kept {count} before this ran; {how}]\n"

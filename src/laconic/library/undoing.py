"""Keeps what a command of a gate changes, and takes it back."""

from __future__ import annotations

from laconic.errors import LaconicError
from laconic.library.process import Process
from laconic.settings.load import Settings
from laconic.undo.analysis import reach_of_line
from laconic.undo.around import Around, about_run, begin
from laconic.undo.restore import undo
from laconic.undo.store import store_for


def keep_before(process: Process, settings: Settings) -> Around:
    """Keep what a command may change; LaconicError if nothing can be kept here."""
    command, directory, variables = process.command, process.directory, process.variables
    reach = reach_of_line(command, directory, variables)
    return begin(reach, about_run(command, directory, variables), store_for(settings))


def id_of(around: Around | None) -> str:
    """Write down what the command changed; return the id for an undo, empty if there is none."""
    keep = around.finish() if around is not None else None
    return keep.id if keep is not None else ""


def take_back(undo_id: str, settings: Settings) -> str:
    """Take back what a command changed; return the id that takes this back."""
    if not undo_id:
        raise LaconicError("nothing was kept of this command", "Gate(undo=True) keeps it")
    store = store_for(settings)
    return undo(store, store.find(undo_id))

"""Writes the profile that a person chose into the user's configuration."""

from __future__ import annotations

from pathlib import Path

from laconic.errors import FileError
from laconic.install import originals
from laconic.install.imports import checked
from laconic.install.install import Change
from laconic.settings import toml

# What each means to a person who has to choose, the recommended one first.
CHOICES = {
    "work": "tests, builds, edits and commits run unasked (recommended)",
    "default": "what only reads or downloads runs unasked",
    "guard": "nothing more runs unasked than now, but laconic asks before data leaves this "
    "machine, or something is destroyed or opened: for agents without prompts",
}
RECOMMENDED = "work"


def is_chosen(path: Path) -> bool:
    """Tell whether a configuration names a profile; yes if it cannot be read."""
    try:
        document = toml.parse(originals.current(path.resolve()) or b"")
    except (FileError, ValueError):
        return True
    return "profile" in document.get("settings", {})


def plan_change(profile: str, path: Path) -> Change | None:
    """Return the change that names a profile, None if it is named; comments and order stay."""
    import tomlkit  # noqa: PLC0415 - for this command only

    target = path.resolve()
    before = originals.current(target)
    checked(before or b"", path)
    document = tomlkit.parse((before or b"").decode("utf-8-sig"))
    if "settings" not in document:
        document["settings"] = tomlkit.table()
    document["settings"]["profile"] = profile
    after = checked(tomlkit.dumps(document).encode(), path)
    return None if after == before else Change(path, target, before, after, 0o600)

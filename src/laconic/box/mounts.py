"""Reads what is mounted where (man 5 proc_pid_mountinfo)."""

from __future__ import annotations

import sys
from collections.abc import Iterable

from laconic.box.places import is_below


def mount_points() -> list[str]:
    """Return where something is mounted; macOS has no mounts that a box would go by."""
    if sys.platform == "darwin":
        return []
    with open("/proc/self/mountinfo", encoding="utf-8", errors="surrogateescape") as file:
        return [_unescaped(line.split(" ", 5)[4]) for line in file.read().split("\n") if line]


def mounted_in(directories: Iterable[str]) -> list[str]:
    """Return what is mounted below directories, but not on them."""
    points = mount_points()
    return [p for p in points if any(p != d and is_below(p, d) for d in directories)]


def _unescaped(text: str) -> str:
    """Undo the kernel's octal digits for blanks, newlines and backslashes: man 5 fstab."""
    if "\\" not in text:
        return text
    for char in " \t\n":
        text = text.replace(f"\\{ord(char):03o}", char)
    return text.replace("\\134", "\\")

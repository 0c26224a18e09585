"""cmake -E: copies, links, makes and removes files.

Unsafe: the places that its words name. https://cmake.org/cmake/help/latest/manual/cmake.1.html
"""

from __future__ import annotations

from laconic.reading.call import Call

_REMOVES = frozenset("rm remove remove_directory".split())
_WRITES = frozenset(
    """
    copy copy_if_different copy_if_newer copy_directory copy_directory_if_different rename touch
    copy_directory_if_newer touch_nocreate make_directory create_symlink create_hardlink
    """.split()
)
_TO_LAST = frozenset("copy create rename".split())


def judge(call: Call) -> None:
    words = call.arguments
    if len(words) < len(("-E", "copy", "a")) or words[0].text != "-E":
        return
    verb = words[1].text or ""
    files = [word for word in words[2:] if not word.leading.startswith("-")]
    if verb in _REMOVES:
        for file in files:
            call.deletes(file, recursive="-r" in (words[2].text or "") or verb != "remove")
    elif verb in _WRITES:
        for file in files[-1:] if verb.partition("_")[0] in _TO_LAST else files:
            call.writes(file)

"""The names of files that decide what runs later, and of those with secrets: the one list of each.

They are in knowledge/data/words/places.txt, and what agents keep in agents.txt beside it.
"""

from __future__ import annotations

from laconic.knowledge.words import word_lists

_PLACES, _AGENTS = word_lists("places"), word_lists("agents")
GUARDED_IN_BOX = _PLACES["guarded"] + _AGENTS["hooks"]
GUARDED_NAMES = GUARDED_IN_BOX + _PLACES["filled-by-tools"] + _PLACES["guarded-shapes"]
GUARDED_AT_TOP = frozenset(_PLACES["guarded-at-top"])
GUARDED_OUTSIDE_PACKAGES = frozenset(_PLACES["guarded-outside-packages"])
OF_PACKAGES = frozenset(_PLACES["of-packages"])
SECRET_NAMES = _PLACES["secret"]
PRIVATE_NAMES = _PLACES["private"] + _AGENTS["homes"]

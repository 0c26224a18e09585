"""npm init NAME, npm create NAME, go run PACKAGE@VERSION: a package is fetched, and runs unseen.

Unsafe: the package. Without a name npm init asks its own questions, and go run runs the project.
"""

from __future__ import annotations

from laconic.reading.call import Call
from laconic.types import Effect, Kind


def judge(call: Call) -> None:
    given = call.parsed.operands if call.is_parsed else call.arguments
    named = [a for a in given if not a.leading.startswith("-")]
    for name in named[:1]:
        if call.path[0] != "go" or "@" in (name.text or "@"):
            what = name.text or "a package that is not known"
            effects = Effect.INSTALLS | Effect.RUNS_FETCHED
            call.does(effects, Kind.PACKAGE, f"fetches {what} and runs it", name)

"""Faults planted in the gate, one at a time: a hunt that misses one of them has no teeth."""

from __future__ import annotations

import atexit
import contextlib
import shutil
from functools import cache
from itertools import islice
from typing import TYPE_CHECKING, Any, NamedTuple
from unittest import mock

from laconic.types import Decision, Verdict

from .attacks import attacks
from .claims import allowing_rules
from .hunt import Hunt
from .scratch import Scratch

if TYPE_CHECKING:
    from collections.abc import Iterator

    from laconic.reading.places import Facts

_LOOKED_AT = 4_000  # attacks, of which a fault lets some pass
_MOST_RUN = 200
_JUDGE, _CALL = "laconic.reading.judge.Judge", "laconic.reading.call.Call"
_TABLE = "laconic.reading.table"


class Fault(NamedTuple):
    """What is replaced, by its full name, and what it then gives.

    needs: a program without which no attack can show it, because other rules see the rest.
    """

    target: str
    gives: Any
    needs: str = ""

    @contextlib.contextmanager
    def planted(self) -> Iterator[None]:
        with mock.patch(self.target, return_value=self.gives):
            yield


_ALLOWED = Decision(Verdict.ALLOW, "planted", "a fault")
FAULTS = (
    Fault(f"{_CALL}.names_secret", gives=False),
    Fault("laconic.reading.decide.variable_findings", []),
    Fault(f"{_TABLE}.address_findings", None, "xmllint"),
    Fault("laconic.reading.judge.registry_findings", (), "deno"),
    Fault("laconic.reading.judge.ask_for_project_code", None),
    Fault("laconic.reading.decide.evaluation_findings", []),
    Fault("laconic.reading.decide.binding_findings", []),
    Fault("laconic.reading.decide.redirect_findings", []),
    Fault("laconic.reading.environment.is_private", gives=True),
    Fault("laconic.reading.environment.is_harmless", gives=True),
    Fault("laconic.reading.commands.python_code.Code.is_pure", gives=True),
    Fault(f"{_JUDGE}._is_of_system", gives=True),
    Fault(f"{_JUDGE}._by_path", _ALLOWED),
    Fault(f"{_JUDGE}._unknown", _ALLOWED),
    Fault(f"{_TABLE}._check_options", None),
    Fault(f"{_TABLE}._table_verdict", None),
    Fault(f"{_CALL}.shell", None),
    Fault(f"{_CALL}.runs", None),
)


@cache
def _refused(seed: int) -> list[str]:
    """Attacks that a gate without faults stops."""
    looked_at = list(islice(attacks(seed), _LOOKED_AT))
    return [command for command in looked_at if allowing_rules(command, _facts()) is None]


@cache
def _facts() -> Facts:
    """Those of a hostile place that is there as long as faults are looked for."""
    scratch = Scratch(is_hostile=True)
    atexit.register(scratch.close)
    return scratch.facts


def is_found(fault: Fault, seed: int) -> bool:
    """Tell whether one of the attacks that a fault lets pass shows it."""
    refused = _refused(seed)
    with fault.planted():
        passed = (one for one in refused if allowing_rules(one, _facts()) is not None)
        some = islice(passed, _MOST_RUN)
        hunt = Hunt(some, 5, enough=1, is_hostile=True).run()
    return bool(hunt.findings)


def main() -> int:
    """A fault that cannot be looked for here counts as missed."""
    missed = []
    for number, fault in enumerate(FAULTS, 1):
        if fault.needs and shutil.which(fault.needs) is None:
            said = f"missed, as {fault.needs}, which is not installed, would show"
        else:
            said = "found" if is_found(fault, seed=1) else "missed"
        missed += [] if said == "found" else [fault]
        print(f"  planted fault {number} of {len(FAULTS)} {said}: {fault.target}", flush=True)
    print(f"planted faults: {len(FAULTS) - len(missed)} of {len(FAULTS)} found", flush=True)
    return bool(missed)

"""Faults planted in the gate, one at a time: a hunt that misses one of them has no teeth."""

from __future__ import annotations

import contextlib
import shutil
import time
from typing import TYPE_CHECKING, Any, NamedTuple
from unittest import mock

from laconic.types import Decision, Verdict

from .attacks import attacks
from .hunt import Hunt

if TYPE_CHECKING:
    from collections.abc import Iterator

SECONDS = 400  # until it is found: a busy machine takes its time
_JUDGE, _CALL = "laconic.policy.judge.Judge", "laconic.policy.call.Call"
_TABLE = "laconic.policy.table"


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
    Fault(f"{_CALL}._may_be_secret", gives=False),
    Fault("laconic.policy.decide.variable_findings", []),
    Fault(f"{_TABLE}.address_findings", None, "xmllint"),
    Fault("laconic.policy.judge.registry_findings", (), "deno"),
    Fault("laconic.policy.judge.ask_for_project_code", None),
    Fault("laconic.policy.decide.evaluation_findings", []),
    Fault("laconic.policy.decide.binding_findings", []),
    Fault("laconic.policy.decide.redirect_findings", []),
    Fault("laconic.policy.environment.is_private", gives=True),
    Fault("laconic.policy.environment.is_harmless", gives=True),
    Fault("laconic.policy.commands.python_code.Code.is_pure", gives=True),
    Fault(f"{_JUDGE}._is_of_system", gives=True),
    Fault(f"{_JUDGE}._by_path", _ALLOWED),
    Fault(f"{_JUDGE}._unknown", _ALLOWED),
    Fault(f"{_TABLE}._check_options", None),
    Fault(f"{_TABLE}._table_verdict", None),
    Fault(f"{_CALL}.shell", None),
    Fault(f"{_CALL}.runs", None),
)


def is_found(fault: Fault, seed: int, seconds: float = SECONDS) -> bool:
    """Tell whether attacks show a fault in this time."""
    with fault.planted():
        deadline = time.monotonic() + seconds
        hunt = Hunt(attacks(seed), 5, deadline, enough=1, is_hostile=True).run()
    return bool(hunt.findings)


def main() -> int:
    able = [fault for fault in FAULTS if not fault.needs or shutil.which(fault.needs)]
    missed = [f"missed: {fault.target}" for fault in able if not is_found(fault, seed=1)]
    unable = [f"needs {f.needs}, not looked for: {f.target}" for f in FAULTS if f not in able]
    found = f"planted faults: {len(able) - len(missed)} of {len(able)} found"
    print(found, *missed, *unable, sep="\n  ")
    return bool(missed)

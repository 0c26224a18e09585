"""The order of the tests: which files come first, and which tests `make test` leaves out."""

from __future__ import annotations

import re
from fnmatch import translate
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pytest

# A file is run by one process; those that take longest come first, so that none is waited for.
LONGEST = (
    "tests/compact/compact_test.py",
    "tests/run/run_test.py",
    "tests/server/server_faults_test.py",
    "tests/run/live_run_test.py",
    "tests/server/",
    "tests/packaging_test.py",
    "tests/run/",
    "tests/compact/",
    "tests/effects_test.py",
    "tests/replay/outcome_test.py",
    "tests/batch_test.py",
    "tests/shell/",
    "tests/box/",
    "tests/policy/",
    "tests/record/tokenizer_test.py",
    "tests/rewrite/differential_test.py",
    "tests/undo/",
    "tests/cli/",
    "tests/library_test.py",
    "tests/packages_test.py",
    "tests/replay/",
    "tests/gate_report_test.py",
)

# `make test` leaves these to `make test-slow`: each is the rest of something that is tried there,
# too, or builds and runs whole installations. A pattern is for the id of a test.
SLOW = (
    "tests/packaging_test.py::*wheel*",
    "tests/packaging_test.py::test_without_one_it_has_the_client_in_python*",
    "tests/packaging_test.py::test_a_client_that_does_not_work_without_the_c_library*",
    "tests/packages_test.py::test_the_action_fails_where*",
    "tests/server/isolation_test.py::*-laconic-twin[]]",
    "tests/run/streamed_lines_test.py::test_what_appeared_is_not_told_again*",
    "tests/run/delay_test.py::test_the_first_line_that_is_shown*",
    "tests/run/delay_test.py::*[[]c[]]",
    "tests/compact/speed_test.py::*",
    "tests/compact/compact_test.py::test_the_promises_hold_for_any_output*",
    "tests/compact/filters_test.py::test_no_built_in_pattern_is_slow*",
    "tests/shell/properties_test.py::test_long_text_is_answered_in_time*",
    "tests/run/step_back_test.py::*[[]c[]]",
    "tests/run/masked_runs_test.py::*large*",
    "tests/run/runaway_test.py::*",
    "tests/record/tokenizer_test.py::*server*",
    "tests/replay/tune_test.py::test_a_profile_comes_first_where_it_would_else_be_spelled_out",
    "tests/gate_report_test.py::test_it_counts_what_is_allowed",
    "tests/effects_test.py::test_a_hole_in_a_table_is_found_by_chance_too",
    "tests/shell/oracle_test.py::test_what_is_put_at_our_offsets_lands_before_every_command_name",
    "tests/shell/oracle_test.py::test_pretty_printing_by_bash_changes_no_fact",
    "tests/shell/oracle_test.py::test_the_bash_of_this_machine_accepts_whatever_we_accept",
    "tests/policy/variables_test.py::test_what_may_be_set_or_unset_runs_nothing*",
    "tests/undo/held_objects_test.py::test_it_comes_back_after_garbage_was_collected*",
    "tests/cli/journey_test.py::test_reports_fit_the_terminal*",
    "tests/cli/completions_test.py::test_a_shell_completes_what_is_typed*",
    "tests/managed/loosening_test.py::*",
    "tests/record/decisions_test.py::test_of_a_very_large_file*",
    "tests/managed/policy_files_test.py::*",
    "tests/box/hook_journeys_test.py::*",
    "tests/box/refusals_test.py::*",
    "tests/box/attempt_test.py::*",
    "tests/box/client_test.py::*",
    "tests/box/astray_test.py::*",
)
# The client in C that finds no server starts the runner in Python: where it is, its tests do both.
SLOW_WITH_A_CLIENT = ("tests/run/*[[]python[]-]*", "tests/run/*-python[]]")


def put_in_order(items: list[pytest.Item], *, has_client: bool) -> None:
    patterns = (*SLOW, *(SLOW_WITH_A_CLIENT if has_client else ()))
    is_slow = re.compile("|".join(map(translate, patterns))).match
    ids = {item.nodeid for item in items}
    for item in items:
        # Most that is tried with the client as it is installed is tried with sanitizers, too.
        twin = item.nodeid.replace("installed", "sanitized")
        is_second = twin != item.nodeid and twin in ids
        if is_second or is_slow(item.nodeid):
            item.add_marker("slow")
    items.sort(key=_place)


def _place(item: pytest.Item) -> int:
    return next((n for n, path in enumerate(LONGEST) if item.nodeid.startswith(path)), 99)

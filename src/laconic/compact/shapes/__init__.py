"""Shapes of output: what a part of an output is recognised by, and what an agent acts on in it.

`passes` has the table of shapes, the order in which they are tried, and how they are run. A module
has the name of its shape, or of the tool whose report it reads; docs/filters.md says what each
shape shows.

- Test runners: ava, bun, ctest, go_tests, gtest (Google Test), jest (also playwright), libtest,
  minitest, mocha, phpunit, prove, pytest, rspec, spec and tap (node), surefire, unittest, vitest;
  of any: tests, retold.
- Findings: findings, notes, events (gcc's analyzer); the reports of bandit, prettier, rustfmt,
  shellcheck and sqlfluff.
- Crashes: frames, crash (node), goroutines, memory.
- git: blame, commits, diff, diffstat, state.
- Files and searches: actions, downloads (wget), listing, search.
- Packages and builds: configurations (gradle), dependencies, installed, npm, pip, plan (Terraform),
  products, progress, sphinx, steps.
- Any output: logs, numbered, repeats, strings (node), tables, values; the table of coverage.py
  (coverage) and that of docker (containers); JSON (document), which no filter names.

The others are parts of these:

- All shapes: asked (the run), rows (lines, and what is shown in place of them).
- Test runners: changes, failures, overview, pytest_failure, pytest_live,
  pytest_summary.
- Findings: finding, finding_block, framed_finding.
- Frames: foreign_paths, native_frames, script_frames.
- Listings: directories, entries, folded_names. Commits: graph. Diffs: diff_files.
"""

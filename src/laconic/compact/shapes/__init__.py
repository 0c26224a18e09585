"""Shapes of output: what a part of an output is recognised by, and what an agent acts on in it.

`passes` has the table of shapes, the order in which they are tried, and how they are run. A module
has the name of its shape, or of the tool whose report it reads; docs/filters.md says what each
shape shows.

- Test runners: report reads all that the table names (data/reports.txt) but pytest;
  of any: tests.
- Findings: findings, notes; the report of rustfmt.
- Crashes: frames.
- git: blame, commits, diff, diffstat, state.
- Files and searches: listing, search.
- Packages and builds: dependencies, plan (Terraform).
- Any output: alike, columns, copies, numbered, repeats, values; the table of coverage.py
  (coverage); JSON (document), which no filter names.

The others are parts of these:

- All shapes: asked (the run), rows (lines, and what is shown in place of them).
- Test runners: runners (the table); changes, failures, logs, overview, pytest_failure.
- Findings: finding, finding_block; finding_forms (the table of linters that write several lines).
- Frames: frame_forms.
- Listings: directories, entries, folded_names. Commits: graph. Diffs: diff_files.
"""

# Development commands. PYTHON can name another interpreter: make PYTHON=python3.13 test

PYTHON ?= python3
BIN := .venv/bin
export PIP_DISABLE_PIP_VERSION_CHECK := 1

# every target that has a description
.PHONY: $(shell sed -n 's/^\([a-z0-9-]*\):.*\#\# .*/\1/p' $(firstword $(MAKEFILE_LIST))) clean

help:  ## list these commands
	@sed -n 's/^\([a-z0-9-]*\):.*## /\1\t/p' $(MAKEFILE_LIST)

demo: .venv/.package  ## show laconic at work
	@PATH="$(CURDIR)/$(BIN):$$PATH" bash demo/demo.sh

test: .venv/.dev  ## run the tests, in less than five minutes
	$(BIN)/python -m pytest -n 4 --dist loadfile -m 'not slow'

test-slow: .venv/.dev  ## run the tests that `make test` leaves out: whole installations, the box, the runner in Python
	$(BIN)/python -m pytest -n 4 --dist loadfile -m slow

quick: .venv/.dev  ## run the checks that most changes break, in half a minute: examples, parser, layers, types
	$(BIN)/python -m pytest -n 4 -q tests/knowledge tests/shell/parse_test.py tests/shell/words_test.py \
		tests/layers_test.py tests/startup_test.py tests/docs_test.py
	$(BIN)/ruff check -q .
	$(BIN)/mypy --strict src

test-pythons: .venv/.dev  ## run the tests that depend on the interpreter with every Python that is installed
	.ci/test-pythons

lint: .venv/.dev  ## check style, format and types
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy --strict src
	$(BIN)/mypy --strict --platform darwin --cache-dir .mypy_cache/darwin src

fix: .venv/.dev  ## fix what ruff can fix
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

docs: .venv/.package  ## write what is generated: parts of README.md and docs/, client/kinds.h, data/words/agents.txt
	$(BIN)/python scripts/docs.py

picture: .venv/.package  ## draw the picture of the README from what commands print
	$(BIN)/python scripts/picture.py

site: build/site/venv/.done  ## build the site into build/site/html; a dead link or anchor is an error
	$(PYTHON) scripts/site.py build/site/pages
	NO_MKDOCS_2_WARNING=1 build/site/venv/bin/mkdocs build --strict
	@echo "the site is in build/site/html"

REPOSITORY ?= https://example.org/laconic
wheels: build/release/venv/.done  ## build a wheel for each kind of machine on this one, twice, and examine them: make wheels REPOSITORY=ADDRESS
	build/release/venv/bin/python scripts/wheels.py build/release/wheels $(REPOSITORY)

release-check: build/release/venv/.done  ## build all packages, install and try each: make release-check REPOSITORY=ADDRESS
	build/release/venv/bin/python scripts/release_check.py build/release $(REPOSITORY)

test-arm64: wheels  ## run the wheel for ARM on an emulated Debian, where that can be made
	.ci/test-arm64

test-letters: .venv/.dev  ## run tests on a file system that ignores case, on an emulated machine, where that can be made
	.ci/test-letters

bench: .venv/.dev  ## measure parsing, rewriting, compacting and calls on this machine
	@$(BIN)/python bench/parse.py
	@$(BIN)/python bench/rewrite.py
	@$(BIN)/python bench/compact.py
	@$(BIN)/python bench/memory.py
	@$(BIN)/python bench/warm.py
	@$(BIN)/python bench/library.py
	@$(BIN)/python bench/undo.py
	@$(BIN)/python bench/box.py
	@$(BIN)/python bench/sandbox.py

prompts: .venv/.package  ## count how often commands would interrupt a person: make prompts [FILE=PATH], else bench/commands.txt
	@$(BIN)/python bench/prompts.py $(or $(FILE),bench/commands.txt) $(ARGS)

gate-report: .venv/.package  ## measure the gate on files of commands with known answers: make gate-report CASES=DIR
	@test -n "$(CASES)" || { echo "say where the cases are: make gate-report CASES=DIR" >&2; exit 1; }
	@$(BIN)/python bench/gate_report.py "$(CASES)"

compaction-report: .venv/.dev  ## measure compaction on recorded outputs: make compaction-report [FILE=recordings.jsonl], else the tests' own; ARGS=--slowly
	@$(BIN)/python bench/compaction_report.py $(ARGS) $(or $(FILE),tests/cases/compact)

record: .venv/.package  ## record what a tool prints, for the cases of its filter: make record TOOL=pylint
	@$(BIN)/python scripts/record.py $(TOOL)

clean:
	rm -rf .venv build dist .mypy_cache .pytest_cache .ruff_cache .hypothesis
	find src tests -name __pycache__ -prune -exec rm -rf {} +

# The environment is brought up to date when pyproject.toml, the version or the client changes.
.venv/.package: pyproject.toml hatch_build.py src/laconic/__init__.py $(wildcard client/* box/*)
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
		{ echo "laconic needs Python 3.11 or newer; try: make PYTHON=python3.13" >&2; exit 1; }
	$(PYTHON) -m venv .venv
	$(BIN)/pip install --quiet --editable .
	@touch $@

build/site/venv/.done: Makefile
	$(PYTHON) -m venv build/site/venv
	build/site/venv/bin/pip install --quiet 'mkdocs>=1.6,<2' 'mkdocs-material>=9.5,<10'
	@touch $@

build/release/venv/.done: Makefile
	$(PYTHON) -m venv build/release/venv
	build/release/venv/bin/pip install --quiet auditwheel build check-jsonschema hatchling==1.27.0 lief twine ziglang==0.17.0
	@touch $@

.venv/.dev: .venv/.package
	$(BIN)/pip install --quiet --editable '.[dev]'
	@touch $@

oracle: .venv/.dev  ## compare with bash itself: build it with hooks, check the recorded truth, fuzz
	tests/oracle/build.sh
	PYTHONPATH=tests $(BIN)/python -m oracle.truth check
	PYTHONPATH=tests $(BIN)/python -m oracle.fuzz

oracle-truth: .venv/.dev  ## record the truth again after tests/cases/oracle has changed
	tests/oracle/build.sh
	PYTHONPATH=tests $(BIN)/python -m oracle.generate
	PYTHONPATH=tests $(BIN)/python -m oracle.truth write

mutations: .venv/.dev  ## change every command of tests/cases/decide in every way, and check that none is judged less strictly
	LACONIC_TEST_SHARE=1 $(BIN)/python -m pytest -n auto -q tests/policy/decide_test.py -k mutation

effects: .venv/.dev  ## run a share of what the gate allows, also with random arguments: nothing may change (SHARE=1: everything)
	PYTHONPATH=tests $(BIN)/python -m effects.hunt $(or $(SEED),$(shell date +%s)) $(SHARE)

undo: .venv/.dev  ## run destructive commands for real and take them back: make undo FORMS='a.jsonl b.jsonl'
	PYTHONPATH=tests $(BIN)/python -m undo.kills
	PYTHONPATH=tests $(BIN)/python -m undo.forms $(or $(FORMS),tests/cases/undo/*.jsonl)
	PYTHONPATH=tests $(BIN)/python -m undo.forms --no-hooks $(or $(FORMS),tests/cases/undo/*.jsonl)

differential: .venv/.dev  ## run generated scripts as typed and as rewritten, under bash, zsh and make
	PYTHONPATH=tests $(BIN)/python -m differential $(SEED)

box: .venv/.dev  ## try to get out of the box, as root and as a plain user: make box CASES=FILE for others' ways
	@command -v bwrap > /dev/null || [ "$$(id -u)" != 0 ] || apt-get install -qq -y bubblewrap
	LACONIC_TEST_LINES=150 $(BIN)/python -m pytest -q tests/box
	PYTHONPATH=tests:. $(BIN)/python -m box.escapes $(CASES)
	PYTHONPATH=tests:. $(BIN)/python -m box.escapes --bubblewrap $(CASES)

days: .venv/.dev  ## play stories of an agent's day outside and in the box: make days [STORIES='rename sqlite']
	PYTHONPATH=tests:. $(BIN)/python -m box.days $(STORIES)

box-registries: .venv/.dev  ## have the package managers of this machine fetch in the box: make box-registries [NAMES='pip npm']
	PYTHONPATH=tests:. $(BIN)/python -m box.registries $(NAMES)

box-suites: .venv/.dev  ## run the tests of real packages outside and in the box: make box-suites [SUITES='click itoa']
	PYTHONPATH=tests:. $(BIN)/python -m box.suites $(SUITES)

e2e: .venv/.dev  ## let real agents run commands through laconic, also in their sandboxes, driven by a scripted model
	@[ "$$(id -u)" != 0 ] || for program in bwrap socat rg; do command -v $$program > /dev/null || \
		{ apt-get install -qq -y bubblewrap socat ripgrep; break; }; done || true
	PYTHONPATH=tests $(BIN)/python -m e2e -k 'not dialogs_test and not unasked_test'

dialogs: .venv/.dev  ## compare what people see of real agents at a terminal, and what runs unasked, with what was recorded: make dialogs AGENT=gemini
	PYTHONPATH=tests $(BIN)/python -m e2e -k '(dialogs_test or unasked_test)$(if $(AGENT), and $(AGENT))'

page-test: .venv/.dev  ## look at the page of laconic report with a real browser, which must be there
	PYTHONPATH=tests $(BIN)/python -m page

fleet: .venv/.dev  ## send decisions to a real collector and Prometheus, and ask DuckDB and ClickHouse the same: minutes, the first time
	$(BIN)/pip install --quiet chdb
	PYTHONPATH=tests $(BIN)/python -m fleet $(ARGS)

frameworks: .venv/.dev  ## run the adapters with the real frameworks and scripted models, without the heavy ones
	PYTHONPATH=tests $(BIN)/python -m frameworks $(ARGS)

frameworks-all: .venv/.dev  ## the same with the heavy ones, which need 3 GB
	PYTHONPATH=tests $(BIN)/python -m frameworks --all

inspector: .venv/.dev  ## ask laconic mcp with the MCP inspector, which npm brings
	PYTHONPATH=tests $(BIN)/python -m frameworks.inspector

conformance: .venv/.dev  ## run a file of cases of the preset hooks: make conformance CASES=FILE
	@test -n "$(CASES)" || { echo "say where the cases are: make conformance CASES=FILE" >&2; exit 1; }
	@PYTHONPATH=tests $(BIN)/python tests/library/conformance.py $(CASES)

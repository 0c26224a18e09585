"""Bash itself as the oracle for the tests of laconic.shell.

build.sh builds a bash that prints what its own parser saw (hooks.c, inserted by instrument.py) and
bash.py asks it.  facts.py brings its answer and our tree into one currency, compare.py compares.
The texts are in ../cases/oracle/*.txt, bash's truth about them beside it in *.facts (truth.py),
so that oracle_test.py needs no instrumented bash.  pairs.py, grammar.py and generate.py make texts;
fuzz.py looks for new disagreements.  stock.py asks the machine's own bash.
"""

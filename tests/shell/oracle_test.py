"""What bash itself saw in each text of the corpus is what our parser says; see oracle/."""

from __future__ import annotations

import random
import re
from functools import cache

import pytest

from laconic.shell import ParseError, parse
from laconic.shell.ast import Array, Assignment, Command, Script
from laconic.shell.walk import commands
from oracle import facts, stock
from oracle.compare import Difference, compare
from oracle.generate import mutate
from oracle.plugin import report
from oracle.truth import Case, load

# Texts that bash accepts and we refuse: each is one more question to the user. Only ever lower it.
MAX_REFUSED = 257
EVERYDAY = ("git.txt", "files.txt", "tools.txt", "scripts.txt")  # none of these may be refused
MAX_VAGUE = 15  # texts with a word that bash knows and we do not; likewise
MAX_PRINTED_REFUSED = 4
MIN_CASES = 2_500
MUTATIONS, SEED = 2_000, 7

CORPUS = load()


@cache
def differences() -> list[tuple[Case, Difference]]:
    return [(case, compare(case.text, case.verdict, case.facts)) for case in CORPUS]


def failures(kind: str) -> list[str]:
    return [
        f"{case.where}: {case.text!r} bash: {found.bash} ours: {found.ours} {found.message}"
        for case, found in differences()
        if found.kind == kind
    ]


@cache
def accepted() -> list[tuple[Case, Script]]:
    """The cases that we accept, parsed."""
    return [
        (case, parse(case.text))
        for case, found in differences()
        if found.kind not in ("refused", "crashed") and case.verdict == "accept"
    ]


def test_the_corpus_is_large_and_holds_no_text_twice() -> None:
    valid = sum(case.verdict == "accept" for case in CORPUS)
    report(f"corpus: {len(CORPUS)} texts, {valid} of them valid")
    assert len({case.text for case in CORPUS}) == len(CORPUS) >= MIN_CASES


def test_nothing_that_bash_saw_is_missing_in_our_tree() -> None:
    found = failures("missed")
    report(f"facts that bash has and we have not: {len(found)}")
    assert found == []


def test_words_that_bash_knows_are_known_to_us() -> None:
    missed = {case.where for case, found in differences() if found.kind != "agree"}
    vague = [
        case.where
        for case, script in accepted()
        if case.where not in missed and case.facts != facts.from_tree(script)
    ]
    report(f"texts with a word that bash knows and we do not: {len(vague)} (at most {MAX_VAGUE})")
    assert len(vague) <= MAX_VAGUE


def test_nothing_in_our_tree_is_unknown_to_bash() -> None:
    assert failures("invented") == []


def test_no_text_that_bash_rejects_is_accepted() -> None:
    found = failures("accepted")
    report(f"texts that bash rejects and we accept: {len(found)}")
    assert found == []


def test_every_refusal_is_a_parse_error_and_refusals_do_not_grow() -> None:
    refused = [case.where for case, found in differences() if found.kind == "refused"]
    report(f"texts that bash accepts and we refuse: {len(refused)} (at most {MAX_REFUSED})")
    assert failures("crashed") == []
    assert [where for where in refused if where.startswith(EVERYDAY)] == []
    assert len(refused) <= MAX_REFUSED


# -- offsets -------------------------------------------------------------------------------------


def wrapped(script: Script) -> tuple[str, list[list[str]]]:
    """The text with `W ` put before every command name, and the words that this must give.

    `shopt` is left alone: it must stay in force for the lines after it.
    """
    text, expected, places = script.source, [], []
    for item, words in zip(commands(script), facts.words_of(script), strict=True):
        if not words or words[0] == "shopt" or _takes_an_array(item.command):
            expected.append(words)
        else:
            expected.append(["W", *words])
            places.append(item.command.words[0].start)
    for place in sorted(places, reverse=True):
        text = text[:place] + b"W " + text[place:]
    return text.decode("utf-8", "surrogateescape"), expected


def _takes_an_array(command: Command) -> bool:
    """`declare a=(1)` is valid, `W declare a=(1)` is not."""
    return any(isinstance(w, Assignment) and isinstance(w.value, Array) for w in command.words)


def test_what_is_put_at_our_offsets_lands_before_every_command_name() -> None:
    wrong, texts = [], []
    for case, script in accepted():
        text, expected = wrapped(script)
        texts.append(text)
        try:
            found = facts.words_of(parse(text))
        except ParseError as error:
            found = [[str(error)]]
        if found != expected:
            wrong.append(f"{case.where}: {text!r} gave {found} instead of {expected}")
    refused = [t for t, ok in zip(texts, stock.accepts(texts), strict=True) if not ok]
    report(f"rewritten by offset: {len(texts)} texts, {len(wrong)} wrong, {len(refused)} invalid")
    assert wrong == []
    assert refused == []


# -- the machine's own bash ----------------------------------------------------------------------


def accepts(text: str) -> bool:
    try:
        parse(text)
    except ParseError:
        return False
    return True


def test_the_bash_of_this_machine_accepts_whatever_we_accept() -> None:
    source = random.Random(SEED)
    known = [case.text for case in CORPUS]
    mutations = {mutate(source, known) for _ in range(MUTATIONS)}
    ours = [text for text in [*known, *sorted(mutations)] if "\0" not in text and accepts(text)]
    wrong = [text for text, ok in zip(ours, stock.accepts(ours), strict=True) if not ok]
    report(
        f"bash {'.'.join(map(str, stock.version()))} of this machine: {len(ours)} texts that we "
        f"accept, of them rejected: {len(wrong)}"
    )
    assert wrong == []


@pytest.mark.skipif(
    stock.version() < (5, 2), reason=f"bash {stock.version()} has no usable --pretty-print"
)
def test_pretty_printing_by_bash_changes_no_fact() -> None:
    # bash prints `coproc a` as `coproc COPROC a`, loses a separator after some here-documents,
    # doubles its own control characters, and cannot read extended globs without running `shopt`
    unprintable = re.compile("coproc|<<|extglob|[\1\x7f]")
    cases = [(case, script) for case, script in accepted() if not unprintable.search(case.text)]
    shown = stock.pretty([case.text for case, _ in cases])
    wrong, refused = [], 0
    for (case, script), text in zip(cases, shown, strict=True):
        try:
            printed = parse(text)
        except ParseError:
            refused += 1
            continue
        if facts.missing(words_only(printed), words_only(script)) != ([], []):
            wrong.append(f"{case.where}: {case.text!r} is printed as {text!r}")
    report(
        f"printed by bash and read again: {len(cases)} texts, {len(wrong)} differ, "
        f"{refused} refused (at most {MAX_PRINTED_REFUSED})"
    )
    assert wrong == []
    assert refused <= MAX_PRINTED_REFUSED


def words_only(script: Script) -> list[list[object]]:
    """Facts without redirects, which bash prints in other words (`<&-` as `>&-`)."""
    return [["command", [], words, []] for words in facts.words_of(script)]

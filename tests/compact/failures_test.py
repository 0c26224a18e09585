"""What holds for every failure of a test report, whatever the runner."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from laconic.compact.lines import Lines
from laconic.compact.pipeline import apply
from laconic.compact.result import Written, texts_of
from laconic.compact.shapes.asked import Asked
from laconic.compact.shapes.failures import Failure
from laconic.compact.shapes.failures import shown as failures_shown
from laconic.compact.shapes.frame_forms import is_of_library
from laconic.compact.shapes.passes import shaped
from laconic.compact.shapes.rows import made
from laconic.compact.tokens import estimate
from outputs import FOUND

WORDS = st.text("abcdefgh", min_size=3, max_size=8)
FAILURES = st.lists(st.tuples(WORDS, WORDS, st.integers(1, 99)), min_size=3, max_size=12)


def of_rspec(failures):
    blocks = "".join(
        f"  {n}) shop {name}\n     Failure/Error: expect(x).to eq(y)\n\n       {said} is wrong\n"
        f"     # ./spec/shop_spec.rb:{line}:in `block (2 levels) in <top (required)>'\n\n"
        for n, (name, said, line) in enumerate(failures, 1)
    )
    return f"FFF\n\nFailures:\n\n{blocks}Finished in 1 second\n9 examples, 3 failures\n"


def of_minitest(failures):
    blocks = "".join(
        f"  {n}) Failure:\nShopTest#test_{name} [test/shop_test.rb:{line}]:\n{said} is wrong\n\n"
        for n, (name, said, line) in enumerate(failures, 1)
    )
    return (
        "Run options: --seed 7\n\n# Running:\n\nFFF\n\nFinished in 0.1s, 1 runs/s.\n\n"
        f"{blocks}9 runs, 9 assertions, 3 failures, 0 errors, 0 skips\n"
    )


def of_phpunit(failures):
    blocks = "".join(
        f"{n}) ShopTest::test{name}\n{said} is wrong\n\n/srv/shop/tests/ShopTest.php:{line}\n\n"
        for n, (name, said, line) in enumerate(failures, 1)
    )
    return (
        "PHPUnit 9.6.7 by Sebastian Bergmann and contributors.\n\nFFF     9 / 9 (100%)\n\n"
        f"Time: 00:00.1, Memory: 4.00 MB\n\nThere were 3 failures:\n\n{blocks}"
        "FAILURES!\nTests: 9, Assertions: 9, Failures: 3.\n"
    )


def of_prove(failures):
    blocks = "".join(
        f"#   Failed test '{name}'\n#   at t/shop.t line {line}.\n#     {said} is wrong\n\n"
        for name, said, line in failures
    )
    return (
        f"{blocks}t/shop.t .. \nDubious, test returned 3 (wstat 768, 0x300)\n"
        "Failed 3/9 subtests \n\nTest Summary Report\n-------------------\n"
        "t/shop.t (Wstat: 768 (exited 3) Tests: 9 Failed: 3)\nFiles=1, Tests=9,  0 wallclock secs\n"
        "Result: FAIL\n"
    )


@pytest.mark.parametrize(
    ("shape", "of_runner"),
    [("rspec", of_rspec), ("minitest", of_minitest), ("phpunit", of_phpunit), ("prove", of_prove)],
)
@given(failures=FAILURES)
def test_name_place_and_message_of_every_failure_are_shown(shape, of_runner, failures):
    texts = Written(enumerate(of_runner(failures).splitlines()))
    rows = shaped([shape], list(texts), texts, Asked(1, bytes(len(texts))))
    assert len(rows) < len(texts), "the shape has not recognised it"
    text = "\n".join(texts_of(rows, texts))
    for name, said, line in failures:
        assert name in text
        assert f"{said} is wrong" in text
        assert f":{line}" in text or f"line {line}" in text


@pytest.mark.parametrize(
    ("place", "is_library"),
    [
        ("./lib/cart.rb:3", False),
        ("/usr/src/app/lib/cart.rb:3", False),
        ("/opt/shop/src/Cart.php:3", False),
        ("/home/dev/perl/lib/cart.rb:3", False),
        ("/usr/lib/ruby/3.1.0/json/common.rb:216", True),
        ("/usr/local/bundle/gems/rack-3.0/lib/rack.rb:3", True),
        ("/srv/shop/vendor/symfony/http/Kernel.php:3", True),
        ("<internal:kernel>:18", True),
    ],
)
def test_a_place_is_the_projects_own_or_of_a_library(place, is_library):
    assert is_of_library(place) is is_library


def test_very_many_findings_keep_their_rules_names_files_and_the_rare_ones():
    lines = []
    for n in range(60):
        lines.append(f"/srv/web/mod{n}.js")
        for k in range(1, 40):
            lines.append(f"  {k}:1  error  'name{n * k % 50}' is not defined  no-undef")
            lines.append(f"  {k}:9  warning  Missing semicolon  semi")
        lines += ["  99:3  error  Unreachable code  no-unreachable", ""] if n == 7 else [""]
    lines.append("4681 problems (2341 errors, 2340 warnings)")
    compacted = apply(FOUND.load("eslint"), 1, Lines(lines))
    text = compacted.text()
    assert estimate(text) < 6500
    assert all(f"'name{number}'" in text for number in range(50))
    assert all(f"mod{n}.js" in text for n in range(60))
    assert "/srv/web/mod7.js:99:3" in text
    assert "no-unreachable" in text
    assert "[4681 findings, for each file:]" in text
    assert "no-undef" in text
    assert "Missing semicolon" in text


def test_of_two_failures_that_say_the_same_the_second_stands_with_its_place_after_the_first():
    failures = [Failure([number], f"{number}) works") for number in (0, 1)]
    for failure, line in zip(failures, (7, 9), strict=True):
        failure.rows = [made("it is wrong", failure.lines)]
        failure.places = ["app/cart.rb:3", f"spec/cart_spec.rb:{line}"]
    rows = failures_shown(failures, ["", ""], "  ")
    (first,) = rows[0]
    assert rows[1] == []
    assert first.text == (
        "0) works  app/cart.rb:3 spec/cart_spec.rb:7: it is wrong"
        " [also 1) works  app/cart.rb:3 spec/cart_spec.rb:9]"
    )

"""The page in a real browser: `make page-test`, which says so where there is no browser."""

from __future__ import annotations

import os
import re
import threading
import time

import pytest

from fleet_rows import read_rows
from laconic.cli import main as cli
from laconic.export.parquet import write
from laconic.page import read
from laconic.page.serve import Dashboard
from laconic.record import decisions
from laconic.record.runs import record_run
from laconic.types import Decision, Effect, Verdict
from page.browser import Browser
from page.made_history import write_history
from page.render_test import HOSTILE
from records import a_run

PROGRAM = os.environ["LACONIC_TEST_BROWSER"]  # set by page/__main__.py
NOW = time.time()


@pytest.fixture(scope="module")
def browser():
    with Browser(PROGRAM) as found:
        yield found


@pytest.fixture
def state_dir(home):
    return home / ".local/state/laconic"


@pytest.fixture
def opened(browser, state_dir, home, tmp_path):
    """Open the page of several weeks with hostile commands among them."""
    write_history(state_dir, home, NOW)
    for number, command in enumerate(HOSTILE):
        record_run(state_dir, a_run(command, program="", session=command), NOW - number)
        decision = Decision(Verdict.DENY, command, command, effects=Effect.DESTROYS)
        decisions.append(
            str(state_dir), decision, command=command, cwd="/", agent=command, now=NOW - number
        )
    return open_report(browser, tmp_path / "report.html")


def open_report(browser, path, **look):
    browser.look(**look)
    assert cli.run(["report", "--html", str(path)]) == 0
    browser.open(path.as_uri())
    return browser


def column(browser, section, number):
    cells = f"#{section} tbody td:nth-child({number})"
    return browser.evaluate(f"[...document.querySelectorAll({cells!r})].map(c => c.textContent)")


def click(browser, selector):
    browser.evaluate(f"document.querySelector({selector!r}).click()")


def wish(browser, section, text):
    browser.evaluate(
        f"""(() => {{
            const box = document.querySelector("#{section} input");
            box.value = {text!r};
            box.dispatchEvent(new Event("input"));
        }})()"""
    )


def counted(browser, section):
    return browser.evaluate(f"document.querySelector('#{section} .count').textContent")


def number(text):
    return float(re.sub(r"[^0-9.-]", "", text) or "-1e9")


def test_the_page_renders_without_a_complaint_and_asks_nobody(opened):
    assert opened.problems == []
    assert [url.partition(":")[0] for url in opened.requests] == ["file"]
    assert opened.evaluate("document.querySelectorAll('#headlines .card').length") == 4
    assert opened.evaluate("document.querySelectorAll('#charts svg rect.saved').length") > 30
    rows = opened.evaluate(
        "[...document.querySelectorAll('#tables tbody')].map(body => body.children.length)"
    )
    assert len(rows) == 8
    assert all(rows)
    _, saved, told = opened.evaluate(
        "[...document.querySelector('#headlines .card').children].map(e => e.textContent)"
    )
    share, read_without = re.match(r"([\d.]+) % of ([\d,]+) that", told).groups()
    assert 100 * number(saved) / number(read_without) == pytest.approx(float(share), abs=0.06)


def test_the_first_section_has_lines_to_copy(opened):
    first = "document.querySelector('main > section:not([hidden])').id"
    assert opened.evaluate(first) == "changes"
    line = opened.evaluate("document.querySelector('#changes .line code').textContent")
    assert line == "laconic config set settings.profile work"
    click(opened, "#changes .copy")
    opened.until("document.querySelector('#changes .copy').textContent !== 'Copy'")
    assert opened.problems == []


def test_hostile_commands_are_text(opened):
    assert opened.evaluate("document.querySelectorAll('script').length") == 2
    assert (
        opened.evaluate("document.querySelectorAll('img, b[onmouseover], svg[onload]').length") == 0
    )
    wish(opened, "asked", "script")
    assert "<script>alert(1)</script>" in column(opened, "asked", 2)
    wish(opened, "asked", "broken utf-8")
    assert [text for text in column(opened, "asked", 2) if "broken" in text] == [
        "\\udcff\\udc80 broken utf-8"
    ]
    wish(opened, "asked", "a\\x00b")
    assert column(opened, "asked", 2) == ["a\\x00b\\x1b[31mred\\x7f"]
    wish(opened, "asked", "characters)")
    (clipped,) = column(opened, "asked", 2)
    assert clipped.endswith("characters)")
    assert len(clipped) < 1100
    assert opened.problems == []


def test_the_policy_stops_what_a_mistake_would_let_in(opened):
    """Text as markup and scripts of others do not run, even if our script put them there."""
    assert opened.evaluate(
        """(() => {
            try { document.body.innerHTML = "<b>x</b>"; return false; } catch { return true; }
        })()"""
    )
    opened.evaluate(
        """(() => {
            const made = document.createElement("script");
            made.append("window.ran = 1");
            document.body.append(made);
        })()"""
    )
    assert opened.evaluate("window.ran === undefined")
    assert opened.evaluate("fetch('http://127.0.0.1:9/').then(() => false, () => true)")
    assert any("Content Security Policy" in each for each in opened.problems)


def test_a_click_sorts_and_another_one_turns_it_round(opened):
    runs = [number(text) for text in column(opened, "filters", 2)]
    saved = [number(text) for text in column(opened, "filters", 5)]
    assert saved == sorted(saved, reverse=True)
    assert runs != sorted(runs, reverse=True)
    click(opened, "#filters th:nth-child(2) button")
    assert [number(t) for t in column(opened, "filters", 2)] == sorted(runs, reverse=True)
    assert (
        opened.evaluate("document.querySelector('#filters th[aria-sort]').ariaSort") == "descending"
    )
    click(opened, "#filters th:nth-child(2) button")
    assert [number(t) for t in column(opened, "filters", 2)] == sorted(runs)
    click(opened, "#filters th:nth-child(1) button")
    names = column(opened, "filters", 1)
    assert names == sorted(names, key=str.casefold)
    assert opened.evaluate("document.querySelectorAll('#filters th[aria-sort]').length") == 1


def test_a_filter_leaves_the_rows_with_all_its_words(opened):
    wish(opened, "runs", "CARGO test")
    rows = opened.evaluate("[...document.querySelectorAll('#runs tr')].map(r => r.textContent)")
    assert len(rows) > 5
    assert all("cargo" in row and "test" in row for row in rows[1:])
    assert re.match(r"\d+ of the newest 500 of [\d,]+ runs", counted(opened, "runs"))
    wish(opened, "runs", "no such thing")
    assert opened.evaluate("document.querySelector('#runs table').hidden")
    assert "Nothing fits" in opened.evaluate("document.querySelector('#runs .none').textContent")
    wish(opened, "runs", "")
    assert len(column(opened, "runs", 1)) == 20
    click(opened, "#runs .more")
    assert len(column(opened, "runs", 1)) == 500


@pytest.mark.parametrize("width", [320, 360, 800, 1024, 1280, 1920])
def test_no_width_needs_to_be_scrolled_sideways(opened, width):
    opened.look(width=width)
    opened.evaluate("document.querySelectorAll('.more').forEach(button => button.click())")
    time.sleep(0.2)
    assert opened.evaluate("document.documentElement.scrollWidth") <= width
    if width <= 800:  # nor may a table: each row is a block
        assert opened.evaluate(
            "[...document.querySelectorAll('.wide')].every(w => w.scrollWidth <= w.clientWidth)"
        )
        # The heads are still there to sort by.
        assert opened.evaluate("document.querySelector('#filters th button').offsetHeight") > 0
    assert opened.problems == []


def luminance(color):
    parts = [int(each) / 255 for each in re.findall(r"\d+", color)[:3]]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


@pytest.mark.parametrize("is_dark", [False, True])
def test_all_text_has_contrast_in_light_and_dark(opened, is_dark):
    """At least 4.5 to 1: https://www.w3.org/TR/WCAG22/#contrast-minimum."""
    opened.look(is_dark=is_dark)
    colors = opened.evaluate(
        """(() => {
            const seen = new Set();
            for (const e of document.querySelectorAll("body *")) {
                const isText = [...e.childNodes].some((c) => c.nodeType === 3 && c.data.trim());
                if (!isText || !e.getClientRects().length) continue;
                let under = e;
                while (under && getComputedStyle(under).backgroundColor === "rgba(0, 0, 0, 0)")
                    under = under.parentElement;
                const style = getComputedStyle(e);
                const ink = e.namespaceURI.includes("svg") ? style.fill : style.color;
                seen.add(ink + "|" + getComputedStyle(under || document.body).backgroundColor);
            }
            return [...seen];
        })()"""
    )
    assert len(colors) > 3
    page = opened.evaluate("getComputedStyle(document.body).backgroundColor")
    assert (luminance(page) < 0.1) == is_dark
    for pair in colors:
        low, high = sorted(map(luminance, pair.split("|")))
        assert (high + 0.05) / (low + 0.05) >= 4.5, pair


def test_a_page_without_records_says_so(browser, tmp_path):
    open_report(browser, tmp_path / "empty.html")
    assert browser.problems == []
    text = browser.evaluate("document.body.innerText")
    assert "Nothing: no question was asked." in text
    assert "Nothing was asked or denied." in text
    assert "NaN" not in text
    assert "undefined" not in text


def test_the_dashboard_shows_what_happens_while_it_is_open(browser, state_dir, home):
    record_run(state_dir, a_run("echo first"), NOW)

    def data():
        return read.read(state_dir, {"HOME": str(home)}, now=time.time())

    with Dashboard(data, lambda: read.stamp(state_dir)) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        try:
            browser.look()
            browser.open(server.url)
            browser.until("document.getElementById('state').textContent === 'live'")
            assert column(browser, "runs", 2) == ["echo first"]
            wish(browser, "runs", "echo")
            record_run(state_dir, a_run("echo second"), NOW + 1)
            browser.until("document.querySelectorAll('#runs tbody tr').length === 2")
            assert counted(browser, "runs").startswith("2 of 2 runs")  # the filter stays
            assert browser.problems == []
            hosts = {url.split("/")[2] for url in browser.requests}
            assert hosts == {f"127.0.0.1:{server.server_port}"}
        finally:
            server.shutdown()
            thread.join()
    browser.until("document.getElementById('state').className === 'lost'")


def test_the_page_of_many_machines_shows_who_was_asked_and_no_more(browser, tmp_path):
    rows = [row._replace(team=HOSTILE[0]) if row.team == "b" else row for row in read_rows()]
    write(tmp_path / "rows.parquet", rows)
    browser.look()
    page = tmp_path / "many.html"
    assert cli.run(["report", "--from", str(tmp_path), "--html", str(page)]) == 0
    browser.open(page.as_uri())
    assert browser.problems == []
    assert "5 people in 2 teams on 5 machines" in browser.evaluate("document.body.innerText")
    assert column(browser, "rules", 2)[0] == "npm/add"
    assert column(browser, "rules", 7)[0] == "5"
    assert sorted(column(browser, "by-policy", 1)) == ["17", "18", "none"]
    assert len(column(browser, "by-team", 1)) == 2
    shown = "[...document.querySelectorAll('section')].filter(s => !s.hidden).map(s => s.id)"
    ids = browser.evaluate(shown)
    assert not {"changes", "asked", "filters", "sessions", "recalls", "runs"} & set(ids)
    assert {"rules", "by-team", "by-project", "by-agent", "by-week", "by-policy"} <= set(ids)

"""The page is whole, well formed and closed: whatever was recorded, it is text in it."""

from __future__ import annotations

import base64
import hashlib
import json
import re
import stat
from html.parser import HTMLParser

import pytest
from hypothesis import given
from hypothesis import strategies as st

from laconic.cli import main as cli
from laconic.page.collect import Decided, collect
from laconic.page.render import embedded, page, policy
from laconic.record.runs import record_run
from laconic.sessions.proposal import Proposal
from page.collect_test import EMPTY
from records import a_run
from runners import wait_for
from terminal import at_terminal

VOID = {"meta", "link", "br", "hr", "img", "input"}
HOSTILE = [
    "<script>alert(1)</script>",
    "</script><script>alert(1)</script>",
    "</SCRIPT ><img src=x onerror=alert(1)>",
    "<!--<script>",
    "]]></script><svg onload=alert(1)>",
    "'\"`><b onmouseover=alert(1)>",
    "@script@ @data@ @policy@",
    "\\u003c/script\\u003e",
    "a\0b\x1b[31mred\x7f",
    "\udcff\udc80 broken utf-8",
    "\u202egnp.exe \u2028 \u2029 \u200b",
    "&lt;script&gt; &amp;",
    "x" * 100_000,
]


class Parsed(HTMLParser):
    """The elements of a page with their attributes and texts; fails when one is not closed."""

    def __init__(self, text):
        super().__init__(convert_charrefs=True)
        self.elements, self.open = [], []
        self.feed(text)
        self.close()
        assert self.open == [], self.open

    def handle_starttag(self, tag, attrs):
        element = {"tag": tag, "text": "", **dict(attrs)}
        self.elements.append(element)
        if tag not in VOID:
            self.open.append(element)

    def handle_endtag(self, tag):
        assert self.open, tag
        assert self.open.pop()["tag"] == tag

    def handle_data(self, data):
        if self.open:
            self.open[-1]["text"] += data

    def all(self, tag):
        return [element for element in self.elements if element["tag"] == tag]


def data_with(command):
    texts = [command] * 6
    decided = Decided("2026-11-15T08:00", "ask", ("reads",), *texts, is_question=True)
    saved = ((command, 3),)
    proposal = Proposal("commands", "allow", command, 3, saved, command, (), 0, 0)
    given = EMPTY._replace(decisions=[decided], proposals=[proposal])
    at = {"now": "2026-11-15 09:00:00", "since": "", "prices": "2026-11-15"}
    return collect(given, version="1", note=command, **at)


def check_closed(text, data):
    """One style, one script, one block of data, as policy and template say, and nothing else."""
    parsed = Parsed(text)
    (style,) = parsed.all("style")
    block, script = parsed.all("script")
    assert block["type"] == "application/json"
    assert json.loads(block["text"]) == data
    assert "<" not in block["text"]
    for element, directive in ((script, "script-src"), (style, "style-src")):
        digest = hashlib.sha256(element["text"].encode()).digest()
        (meta,) = [m for m in parsed.all("meta") if m.get("http-equiv")]
        assert f"{directive} 'sha256-{base64.b64encode(digest).decode()}'" in meta["content"]
    return parsed


@pytest.mark.parametrize("command", HOSTILE, ids=range(len(HOSTILE)))
def test_a_hostile_command_stays_data(command):
    data = data_with(command)
    plain = Parsed(page(data_with("ls")))
    parsed = check_closed(page(data), data)
    assert [e["tag"] for e in parsed.elements] == [e["tag"] for e in plain.elements]


@given(st.text(st.characters()))
def test_any_text_stays_data(text):
    data = data_with(text)
    check_closed(page(data), data)


@given(st.text(st.characters()))
def test_the_data_is_ascii_that_ends_no_element(text):
    made = embedded({"text": text})
    assert made.isascii()
    assert not set("<>&") & set(made)
    assert json.loads(made) == {"text": text}


@pytest.mark.parametrize("is_live", [False, True])
def test_the_page_refers_to_nothing_outside(is_live):
    data = data_with("ls")
    text = page(data, is_live=is_live)
    assert "://" not in text
    assert "url(" not in text
    assert "@import" not in text
    for element in check_closed(text, data).elements:
        assert not set(element) & {"src", "href", "action", "srcset", "style"}, element
        assert not [name for name in element if name.startswith("on")], element


def test_the_script_makes_no_markup_from_text():
    (*_, script) = Parsed(page(data_with("ls"))).all("script")
    sinks = (
        r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\b|new Function|DOMParser"
    )
    assert not re.search(sinks, script["text"])


@pytest.mark.parametrize("is_live", [False, True])
def test_the_policy_is_strict(is_live):
    given = dict(part.split(" ", 1) for part in policy(is_live=is_live).split("; "))
    assert given["default-src"] == "'none'"
    assert given["base-uri"] == given["form-action"] == given["trusted-types"] == "'none'"
    assert "unsafe" not in policy(is_live=is_live)
    assert given.get("connect-src") == ("'self'" if is_live else None)


# -- laconic report --------------------------------------------------------------------------------


@pytest.fixture
def written(home, tmp_path):
    record_run(home / ".local/state/laconic", a_run("echo </script>", raw_tokens=9, shown_tokens=4))
    return tmp_path / "report.html"


def test_the_report_is_a_file_for_its_owner_alone(written, capsys):
    assert cli.run(["report", "--html", str(written)]) == 0
    assert "1 run, 0 decisions, 0 sessions" in capsys.readouterr().out
    assert stat.S_IMODE(written.stat().st_mode) == 0o600
    (block, _) = Parsed(written.read_text()).all("script")
    assert json.loads(block["text"])["runs"][0]["command"] == "echo </script>"


def test_the_report_replaces_the_file_that_a_link_leads_to(written):
    target = written.with_name("target.html")
    target.write_text("old")
    written.symlink_to(target)
    assert cli.run(["report", "--html", str(written)]) == 0
    assert written.is_symlink()
    assert target.read_text().startswith("<!doctype html>")


@pytest.mark.parametrize("place", [".", "missing/report.html", "/dev/null"])
def test_the_report_is_only_written_in_place_of_a_file(place, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert cli.run(["report", "--html", place]) == 1
    assert "hint" not in capsys.readouterr().out
    assert list(tmp_path.iterdir()) == []


@pytest.mark.usefixtures("written")
def test_without_a_place_it_is_among_the_records(home, capsys):
    assert cli.run(["report"]) == 0
    path = home / ".local/state/laconic/report.html"
    assert capsys.readouterr().out.startswith(f"{path}: 1 run,")
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


@pytest.mark.parametrize("has_screen", [True, False])
def test_a_person_with_a_screen_sees_it_at_once(home, has_screen):
    opener = home / "bin/xdg-open"
    opener.parent.mkdir()
    opener.write_text(
        f'#!/bin/sh\nprintf "%s" "$1" > {home}/part && mv {home}/part {home}/opened\n'
    )
    opener.chmod(0o755)
    more = {"PATH": f"{opener.parent}:/usr/bin:/bin"} | ({"DISPLAY": ":0"} if has_screen else {})
    status, out = at_terminal(["report"], **more)
    assert status == 0
    path = home / ".local/state/laconic/report.html"
    if has_screen:
        wait_for((home / "opened").exists)
        assert (home / "opened").read_text() == str(path)
    assert (path.as_uri() in out) is not has_screen

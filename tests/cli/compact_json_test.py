"""laconic compact: JSON in, JSON out, and nothing that could not be had back."""

from __future__ import annotations

import io
import json

import pytest

from laconic.cli import main as cli

MANY = "".join(f"copied file number {n} to the archive\n" for n in range(2000))


@pytest.fixture
def compact(capsys, monkeypatch):
    def run(given):
        data = given if isinstance(given, bytes) else json.dumps(given).encode()
        monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(data)))
        status = cli.run(["compact"])
        told = capsys.readouterr()
        return status, told.out, told.err

    return run


def test_a_long_output_is_shortened_and_can_be_recalled(compact, capsys):
    status, out, err = compact({"text": MANY, "command": "./backup.sh", "status": 0})
    document = json.loads(out)
    assert (status, err) == (0, "")
    assert list(document) == [
        "version", "text", "id", "tokens", "tokens_raw", "bytes", "bytes_raw",
    ]  # fmt: skip
    assert document["version"] == 1
    assert "lines hidden" in document["text"]
    assert document["bytes"] == len(document["text"]) < document["bytes_raw"] == len(MANY)
    assert document["tokens"] < document["tokens_raw"]
    cli.run(["recall", document["id"], "--raw"])
    assert capsys.readouterr().out == MANY


@pytest.mark.parametrize(
    "given",
    [{"text": "done\n", "command": "x", "status": 0}, {"text": "done\n"}, {"text": "é \ud800"}],
)
def test_what_is_short_comes_back(compact, given):
    status, out, _ = compact(given)
    document = json.loads(out)
    assert (status, document["id"]) == (0, "")
    assert document["text"].startswith(given["text"][:2])
    assert document["tokens"] == document["tokens_raw"]


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (b"", "stdin is no JSON"),
        (b"\xff", "stdin is no JSON"),
        ([], "stdin has no `text`"),
        ({"command": "x"}, "stdin has no `text`"),
        ({"text": 3}, "`text` must be text"),
        ({"text": "", "status": "1"}, "`status` must be a number"),
        ({"text": "", "status": True}, "`status` must be a number"),
        ({"text": "", "output": ""}, "`output` is not a key"),
    ],
)
def test_what_is_wrong_is_named(compact, given, said):
    status, out, err = compact(given)
    assert (status, out) == (1, "")
    assert said in err

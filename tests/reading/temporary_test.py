"""What counts as a temporary directory."""

from __future__ import annotations

from laconic.reading.facts import read_facts


def test_the_one_of_the_environment_counts_also_by_where_its_links_lead(tmp_path):
    (tmp_path / "private/folders").mkdir(parents=True)
    (tmp_path / "var").symlink_to("private")
    shown, real = f"{tmp_path}/var/folders", f"{tmp_path}/private/folders"
    facts = read_facts("/", {"HOME": "/home/me", "TMPDIR": f"{shown}/"})
    assert {shown, real} <= set(facts.temporary)

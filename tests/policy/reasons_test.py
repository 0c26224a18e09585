"""The reason that a person reads says what the command does, not what its harmless form does."""

from __future__ import annotations

import pytest

from laconic.knowledge.catalog import library, tables
from laconic.policy.rules import Rules
from laconic.reading.decide import decide
from laconic.reading.places import Facts

REASONS = """
git clean -fdx                  deletes untracked files
git clean -fdx build/           deletes untracked files: build/
git clean -fd a b c d           deletes untracked files
git clean -f "$x"               deletes untracked files
git am x.patch                  changes commits and files: x.patch
git format-patch HEAD~2         writes a file for each commit
unzip app.zip                   unpacks files: app.zip
npm pack                        writes an archive of the package
deno fmt                        rewrites files
black src tests                 rewrites files: src, tests
golangci-lint run -c evil.yml   builds the project's packages and checks them
redis-cli -n get flushdb        does more than the commands that only read
crontab -r                      changes or replaces the commands that run at set times
softwareupdate -ia              downloads or installs updates, or changes how they come
codeql database create x        laconic knows nothing of codeql but its version
vault kv get secret/x           vault kv get is not a command that laconic knows
cargo publish --registry x      --registry names another registry
make -f x -C /y all             -C works in another directory
setopt extendedglob             is a builtin of zsh that laconic does not read
gh api -X DELETE /repos/o/r     sends a request that may change something
gh api /repos/o/r -f a=b        sends a POST, because it has fields
psql -c 'DROP TABLE x'          runs a statement that begins with DROP
rsync -a . host:/srv            copies files to or from another machine: host:/srv
rsync -a . "$x"                 copies files to or from a place that is not known
rg TOKEN | xargs rm             deletes files whose names are not known before it runs
git gc --prune=now              deletes the commits that no branch or tag names
git push origin --mirror        publishes all branches and tags to origin
ln -s /etc/passwd x             makes a link that leads to /etc/passwd
chmod -R 777 .                  writes to the current directory
find / -name x -delete          may change files in /, outside the project
find / -delete                  deletes the root of the file system
mount /dev/sda1 /mnt            mounts a file system
printenv AWS_SECRET_ACCESS_KEY  prints AWS_SECRET_ACCESS_KEY, which may hold a secret
echo $GITHUB_TOKEN              uses GITHUB_TOKEN, which may hold a secret
laconic undo --yes              --yes takes back what a command changed, without a question
dropdb shop                     creates, copies, changes or deletes whole databases
systemctl restart nginx         starts, stops or changes units of the system
rm -rf .git                     deletes .git, the repository with its history
git config core.hooksPath x     changes git's setting core.hooksPath
git config --edit               changes settings of git
ssh-add                         changes the keys that the SSH agent holds
"""


def reasons(command: str) -> list[str]:
    leaves = decide(command, library(), Rules(), Facts()).leaves()
    return [leaf.reason for leaf in leaves if leaf.verdict != "allow"]


@pytest.mark.parametrize("line", REASONS.strip().splitlines())
def test_the_reason_is_what_the_command_does(line):
    command, reason = line[:32].strip(), line[32:]
    assert any(reason in said for said in reasons(command)), reasons(command)


def test_a_table_with_a_harmless_form_says_what_the_other_form_does():
    assert [
        path for _, path, table in tables() if table.get("needs") and not table.get("why")
    ] == []


def test_the_sentence_about_the_harmless_form_is_nobodys_reason():
    """Unless it says what both forms do, as in `stages changes`."""
    wrong = []
    for _, path, table in tables():
        about = table.get("about", "")
        if table.get("needs") and about != table["why"]:
            wrong += [(path, no) for no in table.get("no", ()) if about in reasons(no)]
    assert wrong == []

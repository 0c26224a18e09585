"""The options of git's commands that change no other files than those that are looked for anyway.

https://git-scm.com/docs has one page for each command. An option that is not listed is a doubt:
then everything around is kept, where that is cheap.
"""

from __future__ import annotations

_GOING_ON = "--abort --continue --skip --quit --show-current-patch[=V] --edit-todo"
_SIGN = "-S[=V] --gpg-sign[=V] --no-gpg-sign"
_PATHS = "--pathspec-from-file=V --pathspec-file-nul"
_SUBMODULES = "--recurse-submodules[=V] --no-recurse-submodules"
_TREE = (
    f"-q --quiet --progress --no-progress -f --force -m --merge --conflict=V {_SUBMODULES} --ours"
    " --theirs --ignore-skip-worktree-bits --overlay --no-overlay -p --patch --guess --no-guess"
    f" --ignore-other-worktrees --overwrite-ignore --no-overwrite-ignore {_PATHS} --no-track -l"
    " -d --detach"
)
_MERGE = (
    f"--commit --no-commit -e --edit --no-edit --cleanup=V --ff --no-ff --ff-only {_SIGN} --log[=V]"
    " --no-log --signoff --no-signoff --stat -n --no-stat --squash --no-squash --verify --no-verify"
    " --verify-signatures --no-verify-signatures --summary --no-summary -q --quiet -v --verbose"
    " --progress --no-progress --autostash --no-autostash --allow-unrelated-histories -m=V -F=V"
    " --file=V --into-name=V --rerere-autoupdate --no-rerere-autoupdate --overwrite-ignore"
)
_STRATEGY = "-s=V --strategy=V -X=V --strategy-option=V"
HARMLESS = {
    "checkout": f"{_TREE} -b=V -B=V -t[=V] --track[=V] --orphan=V",
    "switch": (
        f"{_TREE} --discard-changes -c=V -C=V --create=V --force-create=V -t[=V] --track[=V]"
        " --orphan=V"
    ),
    "restore": f"{_TREE} -s=V --source=V -W --worktree -S --staged --ignore-unmerged",
    "checkout-index": (
        "-u --index -q --quiet -f --force -a --all -n --no-create --stage=V --stdin -z"
    ),
    "read-tree": "-m --reset -u -i -n --dry-run -v --trivial --aggressive --empty -q --quiet",
    "reset": (
        "--mixed --soft --hard --merge --keep -q --quiet --no-quiet --refresh --no-refresh -p"
        f" --patch -N --intent-to-add {_PATHS} {_SUBMODULES}"
    ),
    "merge": f"{_MERGE} {_STRATEGY} {_GOING_ON}",
    "rebase": (
        f"{_STRATEGY} {_SIGN} {_GOING_ON} -q --quiet -v --verbose --stat -n --no-stat --verify"
        " --no-verify -f --force-rebase --no-ff --onto=V -r --rebase-merges[=V] --no-rebase-merges"
        " --update-refs --no-update-refs -i --interactive -x=V --exec=V --autostash --no-autostash"
        " --autosquash --no-autosquash -m --merge --apply -C=V --ignore-whitespace --whitespace=V"
        " --committer-date-is-author-date --reset-author-date --ignore-date --signoff --empty=V"
        " --keep-empty --no-keep-empty --reapply-cherry-picks --no-reapply-cherry-picks"
        " --fork-point --no-fork-point --rerere-autoupdate --no-rerere-autoupdate"
    ),
    "cherry-pick": (
        "-e --edit --no-edit --cleanup=V -x -r -m=V --mainline=V -n --no-commit -s --signoff"
        f" {_SIGN} --ff --allow-empty --allow-empty-message --keep-redundant-commits --empty=V"
        " --strategy=V -X=V --strategy-option=V --rerere-autoupdate --no-rerere-autoupdate"
        f" {_GOING_ON}"
    ),
    "revert": (
        f"-e --edit --no-edit --cleanup=V -m=V --mainline=V -n --no-commit -s --signoff {_SIGN}"
        " --strategy=V -X=V --strategy-option=V --rerere-autoupdate --no-rerere-autoupdate"
        f" --reference {_GOING_ON}"
    ),
    "stash": (
        "-p --patch -S --staged -k --keep-index --no-keep-index -q --quiet -u --include-untracked"
        f" --no-include-untracked -a --all -m=V --message=V --index {_PATHS}"
    ),
    "apply": (
        "--stat --numstat --summary --check --index --cached -N --intent-to-add -3 --3way -R"
        " --reverse --reject -z -p[=V] -C[=V] --unidiff-zero --apply --no-add --binary --exclude=V"
        " --include=V --ignore-space-change --ignore-whitespace --whitespace[=V] --inaccurate-eof"
        " -v --verbose -q --quiet --recount --directory[=V] --allow-empty --ours --theirs --union"
    ),
    "am": (
        "-s --signoff -k --keep --keep-non-patch --keep-cr --no-keep-cr -c --scissors --no-scissors"
        " -m --message-id -q --quiet -u --utf8 --no-utf8 -3 --3way --no-3way --rerere-autoupdate"
        " --no-rerere-autoupdate --ignore-space-change --ignore-whitespace --whitespace[=V] -C[=V]"
        " -p[=V] --exclude=V --include=V --reject --patch-format=V -n --no-verify"
        f" --committer-date-is-author-date --ignore-date {_SIGN} --resolved -r --empty=V"
        f" --allow-empty --retry {_GOING_ON}"
    ),
    "rm": "-f --force -n --dry-run -r --cached --ignore-unmatch --sparse -q --quiet",
    "mv": "-f --force -k -n --dry-run -v --verbose --sparse",
    "clean": "-d -f --force -i --interactive -n --dry-run -q --quiet -e=V --exclude=V -x -X",
    "worktree": (
        "-f --force -b=V -B=V -d --detach --checkout --no-checkout --lock --reason=V --orphan"
        " -q --quiet --track --no-track --guess --no-guess --guess-remote --no-guess-remote"
        " -v --verbose --porcelain -z --expire=V -n --dry-run --relative-paths --no-relative-paths"
    ),
}

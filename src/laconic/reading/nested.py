"""A repository inside another one that is neither a submodule nor a work tree of it.

What put it there has also put its `config` there, which can name programs that even `git status`
runs. So its `config` is read, and its hooks count. https://git-scm.com/docs/git-config
"""

from __future__ import annotations

import re
from posixpath import join, normpath

from laconic.git.config import parsed
from laconic.patterns import pattern
from laconic.reading.places import Facts, is_within
from laconic.types import Effect

# Settings that name no program, no other file with settings and no other place.
_HARMLESS = pattern(
    r"""(?: advice\.\w+ | color\.[\w.]+ | column\.\w+ | log\.\w+ | status\.\w+ | blame\.\w+
    | gui\..* | user\.(?:name|email|signingkey|useconfigonly) | init\.defaultbranch | i18n\.\w+
    | core\.(?:abbrev|autocrlf|bare|bigfilethreshold|checkstat|commentchar|compression|eol|filemode
        |hidedotfiles|ignorecase|ignorestat|logallrefupdates|longpaths|preloadindex
        |precomposeunicode|protecthfs|protectntfs|quotepath|repositoryformatversion|safecrlf
        |sharedrepository|sparsecheckout|sparsecheckoutcone|splitindex|symlinks|trustctime
        |untrackedcache|whitespace)
    | branch\..* | pull\.(?:rebase|ff) | push\.\w+ | fetch\.\w+ | rebase\.\w+ | gc\.\w+ | lfs\..*
    | commit\.(?:gpgsign|verbose|cleanup) | tag\.(?:gpgsign|sort) | index\.\w+ | pack\.\w+
    | merge\.(?:conflictstyle|renames|renamelimit|stat|ff) | maintenance\.\w+ | feature\.\w+
    | diff\.(?:algorithm|colormoved|colormovedws|context|mnemonicprefix|noprefix|renames
        |renamelimit|submodule|wordregex|indentheuristic|ignoresubmodules)
    | rerere\.\w+ | extensions\.\w+ | submodule\..*\.(?:url|active|path|branch) | submodule\.\w+
    | remote\..*\.(?:fetch|push|tagopt|prune|mirror|promisor|partialclonefilter) | remote\.\w+
    )=.*
    | remote\..*\.(?:push)?url=(?!.*::).* | submodule\..*\.update=\w*
    | core\.fsmonitor=(?:true|false)? | alias\..*=(?!!)\w.*
    | filter\.lfs\.(?:clean|smudge|process|required)=(?:git-lfs[ ][\w %-]*|true|false)""",
    re.VERBOSE | re.IGNORECASE | re.DOTALL,
)
_SAMPLE = ".sample"
_OF_HOOKS = frozenset(("core.hookspath",))


def would_run(top: str, outer: str, facts: Facts) -> Effect:
    """What git may run in the work tree top, inside of that of another one: its code, or worse.

    A setting that names a program makes of a look at the repository whatever it says.
    """
    where = f"{top}/.git"
    link = facts.text(where)
    if link is not None:
        where = normpath(join(top, link.removeprefix("gitdir:").strip()))
        if not link.startswith("gitdir:"):
            return Effect.PROJECT_CODE
        if is_within(facts.real_path(where), f"{facts.real_path(outer)}/.git"):
            return Effect.READS  # a submodule or a work tree of the other one: that is guarded
    has_config = facts.exists(f"{where}/config")
    if link is not None and not has_config:
        return Effect.PROJECT_CODE
    text = facts.text(f"{where}/config") if has_config else ""
    if text is None:
        return Effect.PROJECT_CODE | Effect.UNJUDGED
    odd = [key for key, value in parsed(text) if _HARMLESS.fullmatch(f"{key}={value}") is None]
    if any(key not in _OF_HOOKS for key in odd):
        return Effect.PROJECT_CODE | Effect.UNJUDGED
    if odd or facts.exists(f"{where}/commondir") or facts.exists(f"{where}/config.worktree"):
        return Effect.PROJECT_CODE
    hooks = any(not name.endswith(_SAMPLE) for name in facts.names(f"{where}/hooks"))
    return Effect.PROJECT_CODE if hooks else Effect.READS

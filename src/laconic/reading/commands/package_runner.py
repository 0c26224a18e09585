"""Programs that run a program of a package (npx, npm exec, pnpm exec, mise exec), or any (rtk).

Unsafe: a name alone says little, because it is looked up in a registry when the project does not
have it, and what comes from there is run. So the program has to be one whose package is known by
that name, without a version or a path, and the project must have it, unless the runner is told to
fetch nothing or never does; then it is judged as a command of its own. Another program that the
project has is code of the project, as if it were run by its path. Without `--`, npm exec and
mise exec take the options behind the program for theirs.
https://pnpm.io/cli/exec, https://bun.sh/docs/cli/bunx
"""

from __future__ import annotations

from laconic.knowledge.arguments import Argument
from laconic.reading.call import Call
from laconic.reading.packages import has_package, name_of
from laconic.reading.project_runners import is_installed
from laconic.types import HARD, Effect, Kind

_NODE_TOOLS = frozenset(
    "biome cdk cspell depcheck eslint jshint knip markdownlint markdownlint-cli2 oxlint prettier"
    " publint stylelint svelte-check tsc vue-tsc".split()
)
_MANAGED_TOOLS = frozenset(
    "actionlint bat buf cargo cosign dprint env fd gh git go gofmt hadolint helm jq k9s kubectl"
    " kustomize node npm pnpm rg ruff rustc shellcheck shfmt sops terraform tflint tofu trivy uv"
    " yarn yq".split()
)


_INSTALLED = "node_modules/.bin"
_KNOWN = {"mise": _MANAGED_TOOLS, "rtk": None}  # rtk does not look for packages
# Packages that have another name than their program.
_PACKAGES = {
    "biome": "@biomejs/biome", "cdk": "aws-cdk", "markdownlint": "markdownlint-cli",
    "tsc": "typescript",
}  # fmt: skip
# `pnpx` is `pnpm dlx`, which fetches even what the project has.
_FETCH = frozenset(("npm", "npx", "bunx", "pnpx"))
_OF_PROJECT = frozenset(("npm", "npx", "bunx", "pnpm", "yarn"))
_HEED_NO = frozenset(("npm", "npx"))
_NEED_END = frozenset(("npm", "mise"))


def judge(call: Call) -> None:
    parsed = call.parsed
    if not parsed.operands:
        if not parsed.has("-v", "-V", "--version", "-h", "--help"):
            call.unlisted("nothing", "names no program to run")
        return
    program = parsed.operands[0]
    known = _KNOWN.get(call.path[0], _NODE_TOOLS)
    is_known = known is None or program.text in known
    if not is_known or program.glob or (call.path[0] in _NEED_END and not parsed.ended):
        what = program.text or "a program that is not known"
        if _has(call, program):
            path = f"{_INSTALLED}/{what}"
            call.runs([Argument(path, program.start, program.end), *parsed.operands[1:]])
            return
        _fetches(call, what, f"runs {what}, perhaps a download", program)
        if call.path[0] == "mise":
            if not parsed.ended:
                _follow_backends(call, parsed.operands)
            _follow_any(call, parsed.operands, ended=parsed.ended)
        elif call.path[1:2] == ("exec",) and call.path[0] not in _FETCH:
            _follow_hard(call, parsed.operands)
        return
    if call.path[0] in _FETCH:
        _ask_unless_installed(call, program.text or "")
    call.runs(parsed.operands)


def _has(call: Call, program: Argument) -> bool:
    """Tell whether what runs is in the project already, so that nothing is fetched."""
    parsed, runner, name = call.parsed, call.path[0], program.text or ""
    if runner not in _OF_PROJECT or program.glob or "/" in name:
        return False
    if (runner in _NEED_END and not parsed.ended) or parsed.has("-p", "--package", "-c", "--call"):
        return False
    return bool(name) and is_installed(call, f"{_INSTALLED}/{name}")


def _follow_any(call: Call, operands: list[Argument], *, ended: bool) -> None:
    """`mise exec node@20 -- COMMAND` runs any program: https://mise.jdx.dev/cli/exec.html."""
    ends = [pos for pos, operand in enumerate(operands) if operand.text == "--"]
    if ended or ends:
        call.runs(operands if ended else operands[ends[0] + 1 :])


def _follow_backends(call: Call, operands: list[Argument]) -> None:
    """`mise exec npm:x -- x`: a package of any registry: https://mise.jdx.dev/dev-tools/backends/."""
    for operand in operands:
        if operand.text == "--":
            return
        if ":" in operand.leading and "/" not in operand.leading.partition(":")[0]:
            why = f"fetches {operand.text or operand.leading} and runs it"
            call.does(Effect.INSTALLS | Effect.RUNS_FETCHED, Kind.PACKAGE, why, operand)


def _follow_hard(call: Call, operands: list[Argument]) -> None:
    """`pnpm exec cat x` runs any program that there is, if no package has that name."""
    ran = call.judge.command(operands, call.span, call.situation)
    for leaf in ran.leaves():
        if leaf.effects & HARD:
            call.add_others(leaf)
    call.may_run(operands[0])  # yarn exec gives it to a shell: https://yarnpkg.com/cli/exec


def _ask_unless_installed(call: Call, program: str) -> None:
    parsed, runner = call.parsed, call.path[0]
    if runner in _HEED_NO and parsed.has("--no", "--no-install") and not parsed.has("-y", "--yes"):
        return
    if runner == "pnpx" or not is_installed(call, f"{_INSTALLED}/{program}"):
        _fetches(
            call, program, f"fetches {program} and runs it, where the project does not have it"
        )


def _fetches(call: Call, program: str, why: str, argument: Argument | None = None) -> None:
    """It may be fetched: it is not if an install of the project before it on the line brings it."""
    is_brought = _is_brought(call, program)
    effects = Effect.INSTALLS
    if call.path[0] in _FETCH and not is_brought and not has_package(call, program):
        effects |= Effect.RUNS_FETCHED
    call.does(effects, Kind.PACKAGE, why, argument)
    if is_brought:
        call.findings[-1] = call.findings[-1].but(stays=True)


def _is_brought(call: Call, program: str) -> bool:
    """Tell whether an install before it on the line brings what would be fetched otherwise."""
    parsed, runner = call.parsed, call.path[0]
    if runner == "pnpx" or parsed.has("-p", "--package", "-c", "--call"):
        return False
    package = _PACKAGES.get(program, program)
    for one in call.situation.seen.programs:
        before = one.call
        if before is None or before.path[0] not in _OF_PROJECT:
            continue
        words = [argument.text or "" for argument in before.arguments]
        is_named = package in map(name_of, words) or has_package(call, package)
        if is_named and any(finding.stays for finding in before.findings):
            return True
    return False

"""Programs that run a program of a package (npx, npm exec, pnpm exec, mise exec), or any (rtk).

Unsafe: a name alone says little, because it is looked up in a registry when the project does not
have it, and what comes from there is run. So the program has to be one whose package is known by
that name, without a version or a path, and the project must have it, unless the runner is told to
fetch nothing or never does; then it is judged as a command of its own. Without `--`, npm exec and
mise exec take the options behind the program for theirs.
https://pnpm.io/cli/exec, https://bun.sh/docs/cli/bunx
"""

from __future__ import annotations

from laconic.reading.packages import has_package
from laconic.reading.project_runners import is_installed
from laconic.types import Effect, Kind

TYPE_CHECKING = False
if TYPE_CHECKING:
    from laconic.knowledge.arguments import Argument
    from laconic.reading.call import Call

_NODE_TOOLS = frozenset(
    "biome cdk cspell depcheck eslint jshint knip markdownlint markdownlint-cli2 oxlint prettier"
    " publint stylelint svelte-check tsc vue-tsc".split()
)
_MANAGED_TOOLS = frozenset(
    "actionlint bat buf cargo cosign dprint env fd gh git go gofmt hadolint helm jq k9s kubectl"
    " kustomize node npm pnpm rg ruff rustc shellcheck shfmt sops terraform tflint tofu trivy uv"
    " yarn yq".split()
)


_KNOWN = {"mise": _MANAGED_TOOLS, "rtk": None}  # rtk does not look for packages
# `pnpx` is `pnpm dlx`, which fetches even what the project has.
_FETCH = frozenset(("npm", "npx", "bunx", "pnpx"))
_HEED_NO = frozenset(("npm", "npx"))
_NEED_END = frozenset(("npm", "mise"))


def judge(call: Call) -> None:
    parsed = call.parsed
    if parsed is None:
        return
    if not parsed.operands:
        if not parsed.has("-v", "-V", "--version", "-h", "--help"):
            call.unlisted("nothing", "names no program to run")
        return
    program = parsed.operands[0]
    known = _KNOWN.get(call.path[0], _NODE_TOOLS)
    is_known = known is None or program.text in known
    if not is_known or program.glob or (call.path[0] in _NEED_END and not parsed.ended):
        what = program.text or "a program that is not known"
        effects = Effect.INSTALLS
        if call.path[0] in _FETCH and not has_package(call, what):
            effects |= Effect.RUNS_FETCHED
        call.does(effects, Kind.PACKAGE, f"runs {what}, perhaps a download", program)
        if call.path[0] == "mise":
            _follow_any(call, parsed.operands, ended=parsed.ended)
        return
    if call.path[0] in _FETCH:
        _ask_unless_installed(call, program.text or "")
    call.runs(parsed.operands)


def _follow_any(call: Call, operands: list[Argument], *, ended: bool) -> None:
    """`mise exec node@20 -- COMMAND` runs any program: https://mise.jdx.dev/cli/exec.html."""
    ends = [pos for pos, operand in enumerate(operands) if operand.text == "--"]
    if ended or ends:
        call.runs(operands if ended else operands[ends[0] + 1 :])


def _ask_unless_installed(call: Call, program: str) -> None:
    parsed, runner = call.parsed, call.path[0]
    if parsed is None or (
        runner in _HEED_NO and parsed.has("--no", "--no-install") and not parsed.has("-y", "--yes")
    ):
        return
    if runner == "pnpx" or not is_installed(call, f"node_modules/.bin/{program}"):
        effects = Effect.INSTALLS
        if not has_package(call, program):
            effects |= Effect.RUNS_FETCHED
        why = f"fetches {program} and runs it, where the project does not have it"
        call.does(effects, Kind.PACKAGE, why)

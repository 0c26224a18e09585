"""Maven: goals and phases are operands, and only few of them just show something.

Unsafe: every phase and every other goal, because they build, run or publish; analyze-report, which
compiles first. Plug-ins and artifacts may be downloaded for any goal.
"""

from __future__ import annotations

from laconic.patterns import pattern

TYPE_CHECKING = False
if TYPE_CHECKING:
    from laconic.policy.call import Call

_SHOWS = pattern(
    r"dependency:(?:tree|list|resolve|resolve-plugins|list-repositories)"
    r"|help:(?:effective-pom|effective-settings|active-profiles|all-profiles|describe|evaluate|help|system)"
    r"|versions:display-(?:dependency|plugin|property|parent)-updates"
)


def judge(call: Call) -> None:
    parsed = call.parsed
    if parsed is None:
        return
    if not parsed.operands and not parsed.has("-v", "--version", "-h", "--help"):
        call.unlisted("goal", "runs the default goal")
    for operand in parsed.operands:
        if operand.text is None or not _SHOWS.fullmatch(operand.text):
            call.unlisted("goal", "runs a goal of the build", operand)

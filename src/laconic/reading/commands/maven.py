"""Maven: goals and phases are operands, and only few of them just show something.

Unsafe: every phase and every other goal, because they build, run or publish; analyze-report, which
compiles first; a plug-in by its coordinates, which is fetched and run; what exec:exec is told to
run (https://www.mojohaus.org/exec-maven-plugin/exec-mojo.html); servers that the command line
names. Plug-ins and artifacts may be downloaded for any goal.
"""

from __future__ import annotations

from laconic.knowledge.arguments import Argument
from laconic.patterns import pattern
from laconic.reading.call import Call
from laconic.types import Effect

_SHOWS = pattern(
    r"dependency:(?:tree|list|resolve|resolve-plugins|list-repositories)"
    r"|help:(?:effective-pom|effective-settings|active-profiles|all-profiles|describe|evaluate|help)"
    r"|versions:display-(?:dependency|plugin|property|parent)-updates"
)

# https://maven.apache.org/guides/plugin/guide-java-plugin-development.html: those of the two groups
# of plug-ins that Maven looks into by itself may be named in full.
_BY_COORDINATES = pattern(
    r"(?!org\.apache\.maven\.plugins:|org\.codehaus\.mojo:)[\w.-]+:[\w.-]+(?::[\w.-]+)+(?:@[\w.-]+)?"
    r"|archetype:(?:generate|create)"
)
_SENDS = pattern(r"(?:.*:)?(?:scm|release|wagon|site|deploy|gpg):[\w-]*|(?:.*:)?site-deploy")
_CHOOSES_SERVER = pattern(
    r"(?:https?\.|socks)?proxy\w*|https?\.proxy.*|.*[rR]epositor(?:y|ies).*|.*[uU]rl|maven\.ext\..*"
    r"|.*archetypeCatalog|java\.security.*|javax\.net.*"
)
_QUOTED = pattern(r"[\"'\\]")


def judge(call: Call) -> None:
    parsed = call.parsed
    if not parsed.operands and not parsed.has("-v", "--version", "-h", "--help"):
        call.unlisted("goal", "runs the default goal")
    _judge_properties(call)
    for operand in parsed.operands:
        if _BY_COORDINATES.fullmatch(operand.text or ""):
            call.does(Effect.INSTALLS, "plug-in", "fetches a plug-in and runs it", operand)
        if operand.text == "help:system":
            why = "prints all variables, secrets among them"
            call.does(Effect.SECRETS, "goal", why, operand)
        if _SENDS.fullmatch(operand.text or ""):
            call.does(Effect.SENDS, "goal", "publishes, or sends changes", operand)
        if operand.text is None or not _SHOWS.fullmatch(operand.text):
            call.unlisted("goal", "runs a goal of the build", operand)


def _judge_properties(call: Call) -> None:
    """`-Dname=value`: programs and servers that plug-ins and Maven itself are told."""
    given: dict[str, Argument] = {}
    for argument in call.arguments:
        name, equals, _ = argument.leading.partition("=")
        if name.startswith("-D") and equals:
            given[name[2:]] = argument.behind(len(name) + 1)
    program = given.get("exec.executable")
    if program is not None:
        words = given.get("exec.args", given.get("exec.arguments"))
        if words is not None and (words.text is None or _QUOTED.search(words.text)):
            call.does(Effect.UNCLEAR, "exec", "runs a program with arguments not known", words)
        else:
            rest = (words.text or "").split() if words is not None else []
            call.runs([program, *(Argument(word, *call.span) for word in rest)])
    for name, value in given.items():
        if _CHOOSES_SERVER.fullmatch(name):
            call.does(Effect.UNCLEAR, "server", f"{name} chooses a server or settings", value)

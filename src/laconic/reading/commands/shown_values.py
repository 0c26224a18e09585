"""What compose and terraform put together from files with secrets, and print in clear.

Unsafe: `docker compose config` prints the variables of .env and of each env_file in the places
where they are used (https://docs.docker.com/reference/cli/docker/compose/config/). `terraform
output` redacts sensitive values, but not with -raw, -json or a name, and neither does `show -json`
(https://developer.hashicorp.com/terraform/cli/commands/output, .../show).
"""

from __future__ import annotations

from laconic.knowledge.arguments import Argument
from laconic.knowledge.options import Parsed
from laconic.patterns import pattern
from laconic.reading.call import Call
from laconic.reading.places import joined
from laconic.reading.secret_files import is_secret
from laconic.types import Effect, Kind

_ONLY_NAMES = (
    "-q", "--quiet", "--services", "--images", "--volumes", "--networks", "--profiles", "--models",
    "--hash", "--variables",
)  # fmt: skip
_COMPOSE_FILES = tuple(
    f"{name}{kind}.{ending}"
    for name in ("compose", "docker-compose")
    for kind in ("", ".override")
    for ending in ("yaml", "yml")
)
_TAKES_VALUES = pattern(r"env_file|\$\{?[A-Za-z_]|\bsecrets:|\benvironment:")
_FILES_READ = pattern(r'\b(?:file\w*|templatefile)\(\s*"([^"$]+)"')
_RUNS_PROGRAMS = pattern(r'\bdata\s+"external"')
_STATES = (".terraform", "terraform.tfstate", "terraform.tfstate.d")


def judge(call: Call) -> None:
    if call.path[0] in ("terraform", "tofu"):
        if call.path[1] in ("console", "plan"):
            _follow_expressions(call)
        _judge_terraform(call, call.parsed)
    elif call.path[-1] in ("config", "convert"):
        _judge_compose(call, call.parsed)


def _follow_expressions(call: Call) -> None:
    """Files that expressions read, and programs that data sources run, while a plan is made.

    https://developer.hashicorp.com/terraform/language/functions/file, .../external
    """
    facts, texts = call.judge.facts, [call.situation.input_text or ""]
    if call.path[1] == "console" and call.situation.input_text is None:
        call.does(Effect.PROJECT_CODE, Kind.INPUT, "evaluates what it reads from its input")
    for directory in call.situation.directories:
        named = [name for name in facts.names(directory) if name.endswith((".tf", ".tofu"))]
        texts += [facts.text(joined(directory, name)) or "" for name in named]
    for text in texts:
        for path in _FILES_READ.findall(text):
            call.reads(Argument(path, *call.span))
        if _RUNS_PROGRAMS.search(text):
            call.does(Effect.PROJECT_CODE, Kind.CODE, "runs programs that the configuration names")


def _judge_compose(call: Call, parsed: Parsed) -> None:
    facts = call.judge.facts
    if parsed.has(*_ONLY_NAMES):
        return
    files = [v.text or "" for _, p in call.match.before for v in p.values("-f", "--file")]
    paths = [
        joined(cwd, name) for cwd in call.situation.directories for name in files or _COMPOSE_FILES
    ]
    texts = [facts.text(path) for path in paths if facts.exists(path)]
    has_variables = any(facts.exists(joined(cwd, ".env")) for cwd in call.situation.directories)
    is_named = any(p.has("--env-file") for _, p in call.match.before)
    if (
        parsed.has("--environment")
        or is_named
        or (has_variables and texts)
        or any(text is None or _TAKES_VALUES.search(text) for text in texts)
    ):
        why = "prints the values of variables, secrets among them"
        call.does(
            Effect.SECRETS,
            Kind.SECRET,
            why,
            instead="docker compose config --no-interpolate --services",
        )


def _judge_terraform(call: Call, parsed: Parsed) -> None:
    for file in parsed.values("-var-file", "--var-file"):
        if not (file.text or "").endswith((".tfvars", ".tfvars.json")):
            call.reads(file)
    verb = call.path[1]
    shows = (verb == "output" and (parsed.has("-raw", "-json") or parsed.operands)) or (
        verb == "show" and parsed.has("-json")
    )
    if not shows:
        return
    facts = call.judge.facts
    ways = [v.text or "" for _, p in call.match.before for v in p.values("-chdir")]
    places = [joined(cwd, way) for cwd in call.situation.directories for way in ways or ["."]]
    named = [joined(p, o.text or "") for p in places for o in parsed.operands if verb == "show"]
    if any(facts.exists(f"{place}/{name}") for place in places for name in _STATES) or any(
        map(facts.exists, named)
    ):
        call.does(Effect.SECRETS, Kind.SECRET, "prints sensitive values in clear")
    for state in parsed.values("-state"):
        if is_secret(state.text or ""):
            call.reads(Argument(state.text, state.start, state.end))

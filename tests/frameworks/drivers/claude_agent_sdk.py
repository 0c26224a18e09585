"""Claude Agent SDK: the program that comes with it, and a scripted model on loopback."""

import json

from e2e.model import Model
from frameworks.scenario import COMMANDS, Scenario

scenario = Scenario()
with Model() as model:
    model.script("Bash", [{"command": command, "description": "x"} for command in COMMANDS])
    environment = {
        "ANTHROPIC_BASE_URL": model.url,
        "ANTHROPIC_API_KEY": "sk-ant-fake",
        "DISABLE_TELEMETRY": "1",
        "DISABLE_AUTOUPDATER": "1",
        "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
        "IS_SANDBOX": "1",
    }
    page = scenario.run_page("claude_agent_sdk", environment=environment)
    bodies = [request.body for request in model.requests]  # some are for titles and the like
    turns = [body for body in bodies if '"Bash"' in json.dumps(body.get("tools", ()))]
    scenario.seen = [json.dumps(turn["messages"]) for turn in turns]
scenario.report(page["gate"], together=False)

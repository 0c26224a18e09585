"""OpenAI Agents SDK with its own ScriptedModel."""

import json

from agents import set_tracing_disabled
from agents.testing import ScriptedModel, assistant_message, function_call

from frameworks.scenario import COMMANDS, Scenario

set_tracing_disabled(True)
scenario = Scenario()
calls = [
    [function_call("run_command", {"command": command}, call_id=f"call-{n}")]
    for n, command in enumerate(COMMANDS)
]
model = ScriptedModel([*calls, [assistant_message("done")]])
page = scenario.run_page("openai_agents", model=model)
scenario.seen = [json.dumps(call.input) for call in model.calls]
scenario.report(page["gate"], asked=1)

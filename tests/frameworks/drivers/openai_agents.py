"""OpenAI Agents SDK with its own ScriptedModel."""

import json

from agents import set_tracing_disabled
from agents.testing import ScriptedModel, assistant_message, function_call

from frameworks.scenario import TURNS, Scenario

set_tracing_disabled(True)
scenario = Scenario()
calls = [
    [function_call("run_command", {"command": c}, call_id=f"call-{n}-{c}") for c in commands]
    for n, commands in enumerate(TURNS)
]
model = ScriptedModel([*calls, [assistant_message("done")]])
page = scenario.run_page("openai_agents", model=model)
scenario.seen = [json.dumps(call.input) for call in model.calls]
scenario.report(page["gate"], asked=1)
model = ScriptedModel([*calls, [assistant_message("done")]])
scenario.run_broken("openai_agents", model=model)
assert model.calls

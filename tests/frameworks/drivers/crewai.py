"""CrewAI with a scripted model that calls tools, and a person at the terminal."""

import builtins
import contextlib
import io
import json
from typing import Any

from crewai import BaseLLM

from frameworks.scenario import NO, YES, Scenario

scenario = Scenario()


class Scripted(BaseLLM):
    def supports_function_calling(self) -> bool:
        return True

    def call(self, messages: Any, *_: Any, **__: Any) -> Any:
        command = scenario.next_command("\n".join(str(message["content"]) for message in messages))
        if command is None:
            return "done"
        function = {"name": "run_command", "arguments": json.dumps({"command": command})}
        return [{"id": f"call-{len(scenario.seen)}", "type": "function", "function": function}]


printed = io.StringIO()


def typed(*_: Any) -> str:
    """What the person types, who reads the terminal."""
    text = printed.getvalue()
    asked = NO if NO in text else YES if YES in text else ""
    return "yes" if scenario.ask_a_person(asked) else "no"


builtins.input = typed
with contextlib.redirect_stdout(printed):
    page = scenario.run_page("crewai", model=Scripted(model="scripted"))
scenario.report(page["gate"])

"""CrewAI with a scripted model that calls tools, and a person at the terminal."""

import builtins
import contextlib
import io
import json
from typing import Any

from crewai import BaseLLM
from crewai.hooks import clear_all_global_hooks

from frameworks.scenario import FIRST, NO, SECOND, YES, Scenario

scenario = Scenario()


class Scripted(BaseLLM):
    def supports_function_calling(self) -> bool:
        return True

    def call(self, messages: Any, *_: Any, **__: Any) -> Any:
        text = "\n".join(str(message["content"]) for message in messages)
        calls = []
        for number, arguments in scenario.next_calls(text):
            function = {"name": scenario.tool, "arguments": json.dumps(arguments)}
            calls.append({"id": number, "type": "function", "function": function})
        return calls or "done"


printed = io.StringIO()


def typed(*_: Any) -> str:
    """What the person types, who reads the terminal."""
    text = printed.getvalue()
    asked = max((YES, NO, FIRST, SECOND), key=text.rfind)  # what was printed last
    return "yes" if scenario.ask_a_person(asked) else "no"


def alone() -> Scripted:
    """A model for an agent without the hooks of those before: they are those of the process."""
    clear_all_global_hooks()
    return Scripted(model="scripted")


builtins.input = typed
with contextlib.redirect_stdout(printed):
    page = scenario.run_page("crewai", model=Scripted(model="scripted"))
scenario.report(page["gate"])
with contextlib.redirect_stdout(printed):
    scenario.run_names("crewai", alone)
    scenario.run_broken("crewai", model=Scripted(model="scripted"))
assert scenario.seen

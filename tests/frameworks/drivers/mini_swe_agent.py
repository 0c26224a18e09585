"""mini-swe-agent with its own DeterministicModel, and a person at a prompt."""

from typing import Any

from minisweagent.agents import interactive
from minisweagent.models.test_models import DeterministicModel, make_output

from frameworks.scenario import COMMANDS, NO, Scenario

scenario = Scenario()


class Scripted(DeterministicModel):
    def query(self, messages: Any, **more: Any) -> Any:
        scenario.seen.append("\n".join(str(message["content"]) for message in messages))
        return super().query(messages, **more)


class Prompt:
    """Enter for the first question; a comment, then Enter to end, for the others."""

    def prompt(self, *_: Any) -> str:
        asked = COMMANDS[len(scenario.seen) - 1] if len(scenario.seen) <= len(COMMANDS) else ""
        if not asked or asked in " ".join(scenario.asked):
            return ""
        scenario.ask_a_person(asked)
        return "not this one" if asked == NO else ""


interactive.prompt_session = Prompt()
LAST = "echo COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT"
outputs = [make_output("next", [{"command": command}]) for command in (*COMMANDS, LAST)]
templates = {"system_template": "s", "instance_template": "{{task}}", "cost_limit": 0}
page = scenario.run_page("mini_swe_agent", model=Scripted(outputs=outputs), templates=templates)
assert "not this one" in scenario.seen[6]
scenario.report(page["gate"])

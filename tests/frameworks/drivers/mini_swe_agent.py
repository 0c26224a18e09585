"""mini-swe-agent with its own DeterministicModel, and a person at a prompt."""

from typing import Any

from minisweagent.agents import interactive
from minisweagent.models.test_models import DeterministicModel, make_output

from frameworks.scenario import TURNS, Scenario

scenario = Scenario()


class Scripted(DeterministicModel):
    def query(self, messages: Any, **more: Any) -> Any:
        scenario.seen.append("\n".join(str(message["content"]) for message in messages))
        return super().query(messages, **more)


class Prompt:
    """Enter if all commands of a turn may run, else a comment; Enter to end."""

    def prompt(self, *_: Any) -> str:
        turn = len(scenario.seen) - 1
        asked = [c for c in TURNS[turn] if c.startswith("./")] if turn < len(TURNS) else []
        answers = [scenario.ask_a_person(command) for command in asked]
        return "" if all(answers) else "not this one"


interactive.prompt_session = Prompt()
LAST = "echo COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT"
outputs = [make_output("next", [{"command": c} for c in turn]) for turn in (*TURNS, (LAST,))]
templates = {"system_template": "s", "instance_template": "{{task}}", "cost_limit": 0}
page = scenario.run_page("mini_swe_agent", model=Scripted(outputs=outputs), templates=templates)
assert "not this one" in scenario.seen[6]
scenario.report(page["gate"], each=False)
model = Scripted(outputs=outputs)
scenario.run_broken("mini_swe_agent", model=model, templates=templates)
assert scenario.seen

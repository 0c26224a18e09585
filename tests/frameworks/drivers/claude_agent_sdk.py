"""Claude Agent SDK: the program that comes with it, and a scripted model on loopback."""

import asyncio
import json
from typing import Any

from claude_agent_sdk import ClaudeAgentOptions, ClaudeSDKClient, create_sdk_mcp_server, tool

from e2e.model import Model
from frameworks.scenario import ALLOWED, COMMANDS, DENIED, NAMES, NO, Scenario
from laconic.adapters.claude_agent_sdk import guard

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

    # Without anybody to ask, the gate's own denial stands, whatever the options allow.
    async def alone() -> None:
        options = ClaudeAgentOptions(
            allowed_tools=["Bash"], setting_sources=[], env=environment, permission_mode="dontAsk"
        )
        async with ClaudeSDKClient(guard(page["gate"], options)) as client:
            await client.query("go")
            async for _ in client.receive_response():
                pass

    scenario.begin_again(page["gate"])
    model.script("Bash", [{"command": NO, "description": "x"}])
    asyncio.run(alone())
    assert "deploy.sh" not in " ".join(scenario.ran)  # git is the program itself
    assert "needs consent" in "".join(model.results), model.results

    # Tools of the application's own, of each usual name.
    ran: list[tuple[str, str]] = []

    def named(name: str) -> Any:
        @tool(name, "Run a command in a shell.", {"command": str})
        async def run_command(arguments: dict[str, Any]) -> dict[str, Any]:
            ran.append((name, arguments["command"]))
            return {"content": [{"type": "text", "text": "it ran"}]}

        return run_command

    async def by_names() -> None:
        shell = create_sdk_mcp_server("shell", tools=[named(name) for name in NAMES])
        options = ClaudeAgentOptions(
            allowed_tools=["mcp__shell"], mcp_servers={"shell": shell}, setting_sources=[],
            env={**environment, "ENABLE_TOOL_SEARCH": "false"},
        )  # fmt: skip
        async with ClaudeSDKClient(guard(page["gate"], options)) as client:
            await client.query("go")
            async for _ in client.receive_response():
                pass

    tried = [(name, command) for name in NAMES for command in (DENIED, ALLOWED)]
    model.script_calls([(f"mcp__shell__{name}", {"command": line}) for name, line in tried])
    asyncio.run(by_names())
    assert ran == [(name, ALLOWED) for name in NAMES], ran
    assert sum("cannot be undone" in result for result in model.results) == len(NAMES)
    page["gate"].audit_log.take()

    model.script("Bash", [{"command": "./deploy.sh broken", "description": "x"}])
    scenario.run_broken("claude_agent_sdk", environment=environment)

/* Written by `make docs` from src/laconic/hooks/failed.py. \001: the reason. */
#ifndef LACONIC_FAILED_H
#define LACONIC_FAILED_H

static const char *const failed_reasons[] = {
    "laconic blocked this; nothing ran: it could not be checked, and the policy of this machine wants a question then. If it is needed, ask the user to do it",
    "laconic asks: it could not be checked, and the policy of this machine wants a question then. Yes runs it once",
};

static const char *const failed_forms[] = {
    "{\"action\": \"reject-and-continue\", \"message\": \"\001\"}\n",
    "{\"decision\": \"force_ask\", \"reason\": \"\001\"}\n",
    "{\"hookSpecificOutput\": {\"hookEventName\": \"PreToolUse\", \"permissionDecision\": \"ask\", \"permissionDecisionReason\": \"\001\"}}\n",
    "{\"cancel\": true, \"errorMessage\": \"\001\"}\n",
    "{\"overrideInput\": {\"commands\": \"sh -c 'printf \\\"%s\\\\n\\\" \\\"$1\\\" >&2; exit 126' laconic '\001'\"}}\n",
    "{\"hookSpecificOutput\": {\"hookEventName\": \"PreToolUse\", \"permissionDecision\": \"deny\", \"permissionDecisionReason\": \"\001\"}}\n",
    "{\"permissionDecision\": \"ask\", \"permissionDecisionReason\": \"\001\"}\n",
    "{\"version\": 1, \"decision\": \"deny\", \"reason\": \"\001\"}\n",
    "{\"permission\": \"ask\", \"user_message\": \"\001\", \"agent_message\": \"\001\"}\n",
    "\001\n",
    "{\"decision\": \"ask\", \"reason\": \"\001\", \"systemMessage\": \"\001\"}\n",
    "{\"decision\": \"block\", \"reason\": \"\001\"}\n",
    "{\"throw\": \"\001\"}\n",
    "{\"decision\": \"deny\", \"reason\": \"\001\"}\n",
    "{\"ask\": true, \"reason\": \"\001\"}\n",
};

/* status: of an answer on stderr; else it is on stdout. */
static const struct failed {
    const char *agent, *event;
    unsigned char is_question, status, form;
} failed_answers[] = {
    {"amp", "tool.call", 0, 0, 0},
    {"antigravity", "PreToolUse", 1, 0, 1},
    {"claude", "PreToolUse", 1, 0, 2},
    {"claude-code", "PreToolUse", 1, 0, 2},
    {"cline", "PreToolUse", 0, 0, 3},
    {"cline-cli", "tool_call", 0, 0, 4},
    {"cline-cli", "PreToolUse", 0, 0, 4},
    {"cline-extension", "PreToolUse", 0, 0, 3},
    {"codebuddy", "PreToolUse", 1, 0, 2},
    {"codex", "PreToolUse", 0, 0, 5},
    {"copilot", "preToolUse", 1, 0, 6},
    {"copilot", "PreToolUse", 1, 0, 6},
    {"copilot-cli", "preToolUse", 1, 0, 6},
    {"copilot-cli", "PreToolUse", 1, 0, 6},
    {"crush", "PreToolUse", 0, 0, 7},
    {"cursor", "preToolUse", 1, 0, 8},
    {"cursor", "beforeShellExecution", 1, 0, 8},
    {"devin", "PreToolUse", 0, 2, 9},
    {"devin-cli", "PreToolUse", 0, 2, 9},
    {"droid", "PreToolUse", 1, 0, 2},
    {"factory-droid", "PreToolUse", 1, 0, 2},
    {"gemini", "BeforeTool", 1, 0, 10},
    {"gemini-cli", "BeforeTool", 1, 0, 10},
    {"goose", "PreToolUse", 0, 0, 11},
    {"grok", "pre_tool_use", 1, 0, 2},
    {"grok", "PreToolUse", 1, 0, 2},
    {"grok-build", "pre_tool_use", 1, 0, 2},
    {"grok-build", "PreToolUse", 1, 0, 2},
    {"kilo", "tool.execute.before", 0, 0, 12},
    {"kimi", "PreToolUse", 0, 0, 5},
    {"kimi-code", "PreToolUse", 0, 0, 5},
    {"kiro", "preToolUse", 0, 2, 9},
    {"kiro", "PreToolUse", 1, 0, 2},
    {"kiro-v2", "preToolUse", 0, 2, 9},
    {"kiro-v2", "PreToolUse", 1, 0, 2},
    {"kiro-v3", "preToolUse", 0, 2, 9},
    {"kiro-v3", "PreToolUse", 1, 0, 2},
    {"mistral-vibe", "pre_tool", 0, 0, 13},
    {"opencode", "tool.execute.before", 0, 0, 12},
    {"openhands", "PreToolUse", 0, 0, 13},
    {"pi", "tool_call", 1, 0, 14},
    {"qoder", "PreToolUse", 1, 0, 2},
    {"qwen", "PreToolUse", 1, 0, 2},
    {"qwen-code", "PreToolUse", 1, 0, 2},
    {"vibe", "pre_tool", 0, 0, 13},
    {"vscode", "PreToolUse", 1, 0, 2},
    {"vscode-copilot", "PreToolUse", 1, 0, 2},
    {"windsurf", "pre_run_command", 0, 2, 9},
};

#endif

// Asks laconic before a command runs, and lets it compact the output.
// Written by `laconic install @agent@`; `laconic uninstall @agent@` removes it.
// Whatever goes wrong here, the command runs as it is: an error thrown here would block it.
import { spawn } from "node:child_process"

const EXECUTABLE = @executable-json@
const LIMIT_MS = 10000
const REPLACE_OUTPUT = @replace-output@

// Gives what laconic says, {} if it fails or takes too long.
function ask(event, request) {
  return new Promise((resolve) => {
    try {
      const child = spawn(EXECUTABLE, ["hook", "@agent@", event], { stdio: ["pipe", "pipe", "ignore"] })
      const timer = setTimeout(() => { child.kill("SIGKILL"); child.stdout.destroy(); resolve({}) }, LIMIT_MS)
      let text = ""
      child.stdout.setEncoding("utf8")
      child.stdout.on("data", (chunk) => { text += chunk })
      child.on("error", () => { clearTimeout(timer); resolve({}) })
      child.on("close", (code) => {
        clearTimeout(timer)
        try { resolve((code === 0 && JSON.parse(text)) || {}) } catch { resolve({}) }
      })
      child.stdin.on("error", () => {})
      child.stdin.end(JSON.stringify({ type: event, ...request }))
    } catch { resolve({}) }
  })
}

// Pi has no prompt of its own, so laconic's question is put here; without a screen the answer is no.
async function confirmed(ctx, reason, command) {
  try {
    return Boolean(ctx?.hasUI && (await ctx.ui.confirm(reason || "Run this command?", command)))
  } catch { return false }
}

export default function (pi) {
  const wrapped = new Set()
  pi.on("tool_call", async (event, ctx) => {
    if (event?.toolName !== "bash" || typeof event.input?.command !== "string") return undefined
    const { toolCallId, toolName, input } = event
    const said = await ask("tool_call", { toolCallId, toolName, input, cwd: ctx?.cwd ?? process.cwd() })
    if (said.block === true) return { block: true, reason: said.reason }
    if (said.ask === true && !(await confirmed(ctx, said.reason, input.command))) {
      return { block: true, reason: said.reason }
    }
    if (typeof said.input?.command === "string") {
      event.input.command = said.input.command
      if (REPLACE_OUTPUT) wrapped.add(toolCallId)
    }
    return undefined
  })
  pi.on("tool_result", async (event, ctx) => {
    if (!REPLACE_OUTPUT || event?.toolName !== "bash" || wrapped.delete(event.toolCallId)) return undefined
    const { toolCallId, toolName, input, content, isError } = event
    const request = { toolCallId, toolName, input, content, isError, cwd: ctx?.cwd ?? process.cwd() }
    const said = await ask("tool_result", request)
    return Array.isArray(said.content) ? { content: said.content } : undefined
  })
}

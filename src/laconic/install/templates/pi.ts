@ask.ts@

// Pi has no prompt of its own, so laconic's question is put here; without a screen the answer is no.
async function confirmed(ctx, reason, command) {
  try {
    return Boolean(ctx?.hasUI && (await ctx.ui.confirm(reason || "Run this command?", command)))
  } catch { return false }
}

const FILE_TOOLS = ["read", "grep", "write", "edit"]

function subjectOf(event) {
  if (event?.toolName === "bash") return event.input?.command
  return FILE_TOOLS.includes(event?.toolName) ? event.input?.path : undefined
}

export default function (pi) {
  const wrapped = new Set()
  pi.on("tool_call", async (event, ctx) => {
    const subject = subjectOf(event)
    if (typeof subject !== "string") return undefined
    const { toolCallId, toolName, input } = event
    const said = await ask("tool_call", { toolCallId, toolName, input, cwd: ctx?.cwd ?? process.cwd() })
    if (said.block === true) return { block: true, reason: said.reason }
    if (said.ask === true && !(await confirmed(ctx, said.reason, subject))) {
      return { block: true, reason: `Nothing ran: nobody said yes. ${said.reason}` }
    }
    if (toolName === "bash" && typeof said.input?.command === "string") {
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

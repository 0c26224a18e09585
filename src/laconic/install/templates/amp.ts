@ask.ts@

const ALLOW = { action: "allow" }

// The field of the input that holds the command, in the versions of Amp that are known.
const field = (input) => ["command", "cmd"].find((name) => typeof input?.[name] === "string")

export default function (amp) {
  const wrapped = new Set()
  amp.on("tool.call", async (event) => {
    const key = field(event?.input)
    if (!key || !["Bash", "shell_command"].includes(event.tool)) return ALLOW
    const input = { ...event.input, command: event.input[key] }
    const cwd = event.input.cwd ?? process.cwd()
    const said = await ask("tool.call", { tool: event.tool, input, toolUseID: event.toolUseID, cwd })
    if (said.action === "reject-and-continue" && typeof said.message === "string") return said
    if (said.action !== "modify" || typeof said.input?.command !== "string") return ALLOW
    if (REPLACE_OUTPUT) wrapped.add(event.toolUseID)
    return { action: "modify", input: { ...event.input, [key]: said.input.command } }
  })
  amp.on("tool.result", async (event) => {
    const key = field(event?.input)
    if (!REPLACE_OUTPUT || !key || typeof event.output !== "string") return undefined
    if (!["Bash", "shell_command"].includes(event.tool) || wrapped.delete(event.toolUseID)) return undefined
    const input = { ...event.input, command: event.input[key] }
    const said = await ask("tool.result", { tool: event.tool, input, status: event.status, output: event.output, cwd: process.cwd() })
    return typeof said.output === "string" ? { status: said.status, output: said.output } : undefined
  })
}

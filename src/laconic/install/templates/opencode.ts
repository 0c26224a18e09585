@ask.ts@

export const Laconic = async ({ directory } = {}) => {
  const wrapped = new Set()
  return {
    "tool.execute.before": async (input, output) => {
      if (input?.tool !== "bash" || typeof output?.args?.command !== "string") return
      const { tool, sessionID, callID } = input
      const request = { tool, sessionID, callID, args: output.args, cwd: directory ?? process.cwd() }
      const said = await ask("tool.execute.before", request)
      if (typeof said.throw === "string") throw new Error(said.throw)
      if (typeof said.args?.command !== "string") return
      output.args.command = said.args.command
      if (REPLACE_OUTPUT) wrapped.add(callID)
    },
    "tool.execute.after": async (input, output) => {
      if (!REPLACE_OUTPUT || input?.tool !== "bash" || typeof output?.output !== "string") return
      const { tool, sessionID, callID, args } = input
      if (wrapped.delete(callID)) return
      const request = { tool, sessionID, callID, args: args ?? {}, output, cwd: directory ?? process.cwd() }
      const said = await ask("tool.execute.after", request)
      if (typeof said.output === "string") output.output = said.output
    },
  }
}

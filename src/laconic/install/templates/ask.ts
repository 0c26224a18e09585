// Asks laconic before a command runs, and lets it compact the output.
// Written by `laconic install @agent@`; `laconic uninstall @agent@` removes it.
// Whatever goes wrong here, the command runs as it is.
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
      child.stdin.end(JSON.stringify(request))
    } catch { resolve({}) }
  })
}

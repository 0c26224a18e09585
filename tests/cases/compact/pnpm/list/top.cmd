pnpm list
status 0

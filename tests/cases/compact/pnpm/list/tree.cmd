pnpm list --depth 3
status 0

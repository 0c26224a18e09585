pnpm list --nosuch
status 2

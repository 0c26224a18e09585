pnpm outdated
status 0

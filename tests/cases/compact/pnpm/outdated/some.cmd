pnpm outdated
status 1

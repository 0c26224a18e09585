pnpm why debug
status 0

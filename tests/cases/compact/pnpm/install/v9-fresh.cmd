pnpm install
status 0

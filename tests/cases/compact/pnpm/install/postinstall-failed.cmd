pnpm install
status 1

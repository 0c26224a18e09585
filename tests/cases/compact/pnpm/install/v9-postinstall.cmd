pnpm install
status 3

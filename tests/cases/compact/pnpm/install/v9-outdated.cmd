pnpm install --frozen-lockfile
status 1

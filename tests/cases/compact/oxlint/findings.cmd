npx oxlint src
status 0

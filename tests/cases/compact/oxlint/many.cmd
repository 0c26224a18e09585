npx oxlint src
status 1

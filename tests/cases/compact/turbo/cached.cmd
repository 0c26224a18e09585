npx turbo run build
status 0

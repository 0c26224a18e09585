npx markdownlint docs
status 1

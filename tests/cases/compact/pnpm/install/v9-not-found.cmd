pnpm add nosuch-package-laconic-xyz
status 1

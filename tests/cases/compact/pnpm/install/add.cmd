pnpm add left-pad
status 0

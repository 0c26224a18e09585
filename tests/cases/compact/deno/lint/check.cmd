deno check d/types.ts
status 1

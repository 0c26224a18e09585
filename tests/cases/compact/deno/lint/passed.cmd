deno lint dgood
status 0

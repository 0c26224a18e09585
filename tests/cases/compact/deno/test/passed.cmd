deno test dgood
status 0

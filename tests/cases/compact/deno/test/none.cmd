deno test nosuch
status 1

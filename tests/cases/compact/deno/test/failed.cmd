deno test d
status 1

deno lint d
status 1

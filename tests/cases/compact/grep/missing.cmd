grep -n TODO web/src/hooks/use1.ts nosuch.ts
status 2

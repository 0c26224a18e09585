grep -n TODO web/src/hooks/use1.ts web/src/hooks/use2.ts
status 0

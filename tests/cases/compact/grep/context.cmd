grep -n -C1 colours web/src/components/button/index.ts web/src/components/table/index.ts
status 0

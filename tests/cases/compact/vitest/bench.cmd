vitest bench --run c.bench.js d2.bench.js
status 0

npx rollup more/rb/main.js -f cjs -d out
status 0

npx rollup main.js -f cjs -d out
status 0

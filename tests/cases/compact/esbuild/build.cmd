npx esbuild src/main.js --bundle --outdir=dist
status 0

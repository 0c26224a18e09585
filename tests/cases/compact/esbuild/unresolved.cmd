npx esbuild src/unresolved.js --bundle --outdir=dist
status 1

npx esbuild src/broken.js --bundle --outdir=dist
status 1

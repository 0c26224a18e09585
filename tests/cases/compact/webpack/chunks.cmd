npx webpack -c z/wp/webpack.config.js
status 0

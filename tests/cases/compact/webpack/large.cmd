npx webpack -c ok/webpack.config.js
status 0

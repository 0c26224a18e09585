npm install --engine-strict
status 1

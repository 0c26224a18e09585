npx jest missing syntax m3
status 1

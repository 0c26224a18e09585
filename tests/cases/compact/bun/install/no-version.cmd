bun add left-pad@99
status 1

grep -rn "class Thing" src lib docs
status 0

git push --progress -u origin feature/one
status 0

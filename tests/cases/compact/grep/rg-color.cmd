rg --color=always -n TODO src/app/models
status 0

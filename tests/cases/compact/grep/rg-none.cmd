rg nosuchthing web
status 1

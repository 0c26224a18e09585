grep -rc price src docs tests web
status 0

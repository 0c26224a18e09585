ls docs web/src nosuch
status 2

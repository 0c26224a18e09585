cargo add serde@999
status 101

cargo build --offline --color=always
status 101

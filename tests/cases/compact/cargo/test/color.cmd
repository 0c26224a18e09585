cargo test --offline --color=always -p core-lib
status 0

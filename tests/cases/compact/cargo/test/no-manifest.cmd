cargo test --manifest-path /srv/nosuch/Cargo.toml
status 101

cargo install nosuch-crate-zzz-918
status 101

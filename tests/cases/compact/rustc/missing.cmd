rustc nosuch.rs
status 1

rustc one.rs
status 1

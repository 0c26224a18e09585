rustc two.rs
status 0

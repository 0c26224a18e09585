"""What should run instead? From a tree and rules to edits of the original text."""

"""What programs do with their arguments: evaluated words, options, tables by command path."""

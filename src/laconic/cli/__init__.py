"""The commands that a person types, one module each."""

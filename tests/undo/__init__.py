"""Destructive commands, run for real in a repository that has everything, and taken back."""

"""Recognises secrets, and keeps them out of the log and of what agents read."""

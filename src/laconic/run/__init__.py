"""Runs a command as if laconic were not there, and keeps every byte that it writes."""

"""Runs a command as if laconic were absent, and keeps every byte that it writes."""

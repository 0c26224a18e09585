"""Keeps what a command will change before it runs, and brings it back afterwards."""

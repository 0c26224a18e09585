"""A line, read once: the programs that it runs, what they do, and what is not certain."""

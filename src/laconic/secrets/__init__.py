"""What secrets look like, and how they are kept out of the log and of what agents read."""

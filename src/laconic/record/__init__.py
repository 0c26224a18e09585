"""Records what happened: the runs and their raw output, and the log of decisions."""

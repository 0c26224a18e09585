"""The box: runs a command where it can change its project, and cannot reach anything else."""

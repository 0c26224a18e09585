"""What the system tells about processes, by one name on Linux and on macOS."""

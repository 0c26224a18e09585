"""The warm server: answers calls with everything already loaded, and runs no command."""

"""The warm server: answers calls with everything already loaded. It runs no command."""

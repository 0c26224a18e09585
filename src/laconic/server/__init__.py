"""The warm server: answers calls from processes that have everything loaded. Runs no command."""

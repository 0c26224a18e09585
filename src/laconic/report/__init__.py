"""Values to lines of text for people."""

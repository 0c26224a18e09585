"""Runs generated scripts and makefiles as typed and as rewritten, and tells what differs."""

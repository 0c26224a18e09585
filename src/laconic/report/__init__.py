"""Formats values as lines of text for people."""

"""Reads repositories of git as they are on the disk, without starting git."""

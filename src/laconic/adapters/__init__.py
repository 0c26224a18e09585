"""Puts a Gate into frameworks for agents: a module for each, which alone imports the framework."""

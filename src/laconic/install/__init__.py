"""Puts laconic into the settings of agents, examines it there, and takes it out again."""

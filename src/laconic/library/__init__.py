"""The preset hooks for agents that are written in Python: rules, catalogues and the Gate."""

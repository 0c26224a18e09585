"""How agents want to be answered: one module per dialect."""

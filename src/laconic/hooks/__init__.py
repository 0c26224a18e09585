"""The agents: what each sends and expects, as data, and one module per dialect of answers."""

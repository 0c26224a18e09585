"""Shapes of output: each module knows one and shows what an agent acts on; see `passes`."""

"""What the gate allows is run for real: nothing may change."""

"""What else has a say in a verdict: rules of agents, the user's allowances and own program."""

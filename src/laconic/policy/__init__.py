"""Who has a say in what a line may do: the profile, the user's lists, and rules of agents."""

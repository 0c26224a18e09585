"""May it run? From a tree, knowledge of tools and facts of the place to a Decision."""

"""What is known of each coding agent: one file of data for each."""

"""The past sessions of coding agents: what their transcripts tell, as values."""

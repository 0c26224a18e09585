"""The settings in force: configuration files, environment variables, trust, and how they merge."""

codespell docs
status 65

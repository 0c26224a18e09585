du -ah lib docs tests
status 0

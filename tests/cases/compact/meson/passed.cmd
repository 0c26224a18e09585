meson test -C mb one two three
status 0

meson test -C mb
status 1

meson compile -C mb
status 0

meson setup mb
status 0

meson setup mb2 mbroken
status 1

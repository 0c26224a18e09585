#!/bin/sh
# Asks laconic before a command runs. Written by `laconic install @agent@`; `laconic uninstall @agent@` removes it.
# Without laconic the command runs as it is.
@command@ 2>/dev/null || echo '{}'

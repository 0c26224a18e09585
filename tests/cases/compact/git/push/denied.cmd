git push /srv/nowhere.git main
status 128

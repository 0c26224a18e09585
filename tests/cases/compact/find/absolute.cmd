find /srv/app/web -type d -name button
status 0

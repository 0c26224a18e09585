wget -r -np -nH http://127.0.0.1:5702/lib/
status 0

wget -r -np -nH -nv http://127.0.0.1:5702/docs/
status 0

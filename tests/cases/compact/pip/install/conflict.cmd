pip install "werkzeug<1"
status 0

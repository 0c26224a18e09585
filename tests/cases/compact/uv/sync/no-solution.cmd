uv add flask==3.0.3 'werkzeug<2'
status 1

uv add flask==3.0.3 sqlalchemy==2.0.30
status 0

pip install 'flask<2' 'werkzeug>=2.1'
status 0

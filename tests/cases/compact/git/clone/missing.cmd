git clone /nonexistent/x.git
status 128

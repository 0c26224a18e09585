dig +tries=1 +time=1 @127.0.0.1 -p 9 example.org
status 9

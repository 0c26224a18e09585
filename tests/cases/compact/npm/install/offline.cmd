npm install --registry http://127.0.0.1:9 --fetch-retries 0 left-pad
status 1

pip install --index-url http://127.0.0.1:9/simple --retries 1 --timeout 1 colorama
status 1

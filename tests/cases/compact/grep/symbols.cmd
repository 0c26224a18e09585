grep -n 'def ' ./decoder.py ./encoder.py ./scanner.py ./tool.py
status 0

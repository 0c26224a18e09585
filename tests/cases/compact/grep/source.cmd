grep -rn 'import os' .
status 0

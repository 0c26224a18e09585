yarn add not-a-real-package-zzz-9182
status 1

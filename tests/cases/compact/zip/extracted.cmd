unzip -o all.zip -d out2
status 0

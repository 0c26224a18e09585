helm install shop chart
status 1

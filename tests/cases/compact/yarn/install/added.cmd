yarn add chalk@4 request@2
status 0

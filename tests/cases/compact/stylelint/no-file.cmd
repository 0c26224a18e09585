npx stylelint 'nosuch/*.css'
status 1

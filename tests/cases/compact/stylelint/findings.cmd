npx stylelint 'css/*.css'
status 2

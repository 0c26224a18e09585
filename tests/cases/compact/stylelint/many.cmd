npx stylelint 'z/css/*.css'
status 2

npx stylelint css/good.css
status 0

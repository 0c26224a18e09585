phpunit --display-all-issues
status 1
Written by hand in the form that the tests of PHPUnit 11 expect, because that version cannot be installed here.

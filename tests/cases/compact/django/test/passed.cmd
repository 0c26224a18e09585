python manage.py test blog.tests.BlogTest.test_fine -v 2
status 0

go test .
status 1
A run of the tests of gin with a mistake in Params.Get; without the test whose two dumps of a recorder are long.

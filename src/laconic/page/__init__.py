"""The report as a web page: what was saved, asked, denied and recalled, in a file or live."""

"""A policy on its way to machines: signed by people, brought by anything, checked by root."""

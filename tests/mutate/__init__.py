"""Mutation testing: are the tests of store, access and intake able to fail? ``make mutate``."""

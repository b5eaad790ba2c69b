"""Doubles for tests: a scripted author, and one small hand-written environment."""

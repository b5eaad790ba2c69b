"""Reads and writes the forms of others. What is read is not judged here: the stage `imports` does that."""

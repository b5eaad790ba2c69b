"""The test plan of an environment of the built-in author: searched for on its own class."""

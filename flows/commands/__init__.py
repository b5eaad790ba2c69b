"""The commands of the command line, one file a concern; `registered` puts them together."""

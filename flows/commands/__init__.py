"""The commands of the command line, one file a concern; `flows.cli` puts them together."""

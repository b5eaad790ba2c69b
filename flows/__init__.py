"""What runs, in which order, and the command line."""

"""`python -m flows` is `envmill`."""

from flows.cli import main

main()

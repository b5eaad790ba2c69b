"""`envmill show`: what an item came from, what was tried, and why it was accepted or not."""

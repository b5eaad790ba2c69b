"""What runs in the process of a session, next to the untrusted code: standard library only."""

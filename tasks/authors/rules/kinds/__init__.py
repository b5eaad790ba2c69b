"""One file per kind of scenario: what makes it that kind, found by search in the live environment."""

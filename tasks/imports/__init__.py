"""The stage that judges environments and scenarios which others wrote."""

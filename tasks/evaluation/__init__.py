"""The deterministic evaluation of environment classes."""

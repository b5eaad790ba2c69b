"""Probe agents: how hard a scenario is, found out by playing it."""

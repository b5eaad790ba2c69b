"""Scenarios on the initial states of one skeleton: drafted, checked, completed and proven."""

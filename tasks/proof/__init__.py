"""The executed evidence that a scenario can be solved and that its checks tell solved from unsolved."""

"""From topics to evaluated skeletons."""

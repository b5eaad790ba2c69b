"""The author that asks a language model."""

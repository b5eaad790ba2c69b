"""Environment classes in the style of published benchmarks, written for this project; some with one known fault."""

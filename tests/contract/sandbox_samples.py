"""A well-behaved environment class, with some methods that break its contract, and a state for it."""

SHELF = '''
from dataclasses import dataclass
from datetime import date, datetime
import random


@dataclass
class Size:
    width: int


class Shelf:
    """Books on a shelf."""

    LIMIT = 3

    def __init__(self, config: dict | None = None):
        config = config or {}
        self.books = config.get("books", {})
        self.count = config.get("count", 0)
        self._hidden = {1, 2}

    def add_book(self, title: str) -> dict:
        self.count += 1
        self.books[f"BOK-{self.count:04}"] = {"title": title}
        return {"success": True, "data": self.books}

    def fail(self, key: str) -> dict:
        return self.books[key]

    def draw(self) -> dict:
        return {"drawn": [random.random() for _ in range(3)]}

    def dates(self) -> dict:
        return {"day": datetime.strptime("2025-02-03", "%Y-%m-%d").strftime("%d.%m."), "size": Size(2).width}

    def give(self, kind: str) -> object:
        deep = []
        for _ in range(5000):
            deep = [deep]
        loop = {}
        loop["loop"] = loop
        return {
            "nan": {"x": [0.5, float("nan")]}, "infinity": float("inf"), "set": {1}, "tuple": (1,), "bytes": b"x",
            "key": {1: 2}, "surrogate": "\\ud800", "surrogate_key": {"\\udfff": 1}, "deep": deep, "loop": loop,
            "huge": 10 ** 5000, "object": self, "subclass": Size(1), "generator": (x for x in ()),
        }[kind]

    def spoil_state(self) -> dict:
        self.books = {1: "one"}
        return {"success": True}

    def name_error(self) -> dict:
        __import__("socket")

    def _private(self) -> dict:
        return {}

    @property
    def size(self) -> int:
        return len(self.books)

    not_a_method = dict
'''
STATE = {"books": {"BOK-0002": {"title": "Zoo"}, "BOK-0001": {"title": "Ähre 🌾"}}, "count": 2, "ratio": 1.50}

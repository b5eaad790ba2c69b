"""A warehouse. Right.

Style: the state goes through the constructor, amounts of money are Decimals, methods raise.
"""

from collections import defaultdict
from dataclasses import dataclass
from decimal import Decimal


@dataclass
class Article:
    """What is kept."""

    name: str
    price: Decimal
    shelf: str


class Warehouse:
    """Articles on shelves, stock by article, and a log."""

    def __init__(self, articles: dict[str, Article], stock: dict[str, int], capacity: int = 500) -> None:
        self.articles = articles
        self.stock = defaultdict(int, stock)
        self.capacity = capacity
        self.log: list[tuple[str, str, int]] = []

    def find_articles(self, text: str) -> list[str]:
        """Find articles by a part of their name.

        Args:
            text: Part of the name, in any letter case.
        """
        return [key for key, article in self.articles.items() if text.lower() in article.name.lower()]

    def get_article(self, sku: str) -> Article:
        """Show an article.

        Args:
            sku: Its number.
        """
        if sku not in self.articles:
            raise LookupError(f"unknown article {sku[:40]}")
        return self.articles[sku]

    def count_stock(self, sku: str | None = None) -> int:
        """Count the pieces in stock.

        Args:
            sku: Only of this article; of all when left out.
        """
        return sum(self.stock.values()) if sku is None else self.stock.get(sku, 0)

    def receive(self, sku: str, pieces: int) -> int:
        """Take pieces in.

        Args:
            sku: Number of the article.
            pieces: At least 1; the warehouse must have room for them.
        """
        self.get_article(sku)
        if pieces < 1 or sum(self.stock.values()) + pieces > self.capacity:
            raise ValueError("there is no room for that")
        self.stock[sku] += pieces
        self.log.append(("in", sku, pieces))
        return self.stock[sku]

    def ship(self, sku: str, pieces: int) -> int:
        """Send pieces out.

        Args:
            sku: Number of the article.
            pieces: At least 1, at most what is in stock.
        """
        self.get_article(sku)
        if not 1 <= pieces <= self.stock[sku]:
            raise ValueError("so many are not in stock")
        self.stock[sku] -= pieces
        self.log.append(("out", sku, pieces))
        return self.stock[sku]

    def set_price(self, sku: str, price: Decimal) -> None:
        """Change a price.

        Args:
            sku: Number of the article.
            price: Euros with two decimals, such as "12.50".
        """
        article = self.get_article(sku)
        if not price.is_finite() or not 0 < price < 100_000:
            raise ValueError("the price must be above 0 and below 100000")
        article.price = price.quantize(Decimal("0.01"))

    def value_of_stock(self) -> Decimal:
        """What all pieces together are worth, in euros."""
        known = {sku: pieces for sku, pieces in self.stock.items() if sku in self.articles}
        return sum((self.articles[sku].price * pieces for sku, pieces in known.items()), Decimal(0))

"""A trading account. Right.

Style: whole numbers as keys, refusals as {"error": ...}, time stamps from the clock.
"""

# ruff: noqa: UP006, UP007, UP035, UP045 as older benchmarks write it

from datetime import datetime
from typing import Any, Dict, List, Optional, Union


class TradingBot:
    """An account that buys and sells stocks at the current price."""

    def __init__(self) -> None:
        self.is_logged_in = True
        self.balance: float = 10_000.0
        self.stocks: Dict[str, Dict[str, Any]] = {
            "AAPL": {"symbol": "AAPL", "price": 227.16, "sector": "Technology"},
            "XTC": {"symbol": "XTC", "price": 12.5, "sector": "Energy"},
            "ZETA": {"symbol": "ZETA", "price": 24.09, "sector": "Technology"},
        }
        self.orders: Dict[int, Dict[str, Any]] = {
            12345: {"id": 12345, "order_type": "Buy", "symbol": "AAPL", "amount": 10, "status": "Completed"},
            12346: {"id": 12346, "order_type": "Buy", "symbol": "ZETA", "amount": 4, "status": "Open"},
        }
        self.watch_list: List[str] = ["XTC"]
        self.transactions: List[Dict[str, Any]] = []

    def get_account_info(self) -> Dict[str, Union[float, bool]]:
        """Show the balance, and whether somebody is logged in.

        Returns:
            balance (float): Money in US dollars.
            is_logged_in (bool): Whether orders can be placed.
        """
        return {"balance": self.balance, "is_logged_in": self.is_logged_in}

    def get_stock_info(self, symbol: str) -> Dict[str, Any]:
        """Show a stock.

        Args:
            symbol (str): Its ticker symbol, such as AAPL.
        """
        if symbol not in self.stocks:
            return {"error": f"Stock with symbol '{symbol}' not found."}
        return self.stocks[symbol]

    def get_symbols_by_sector(self, sector: str) -> Dict[str, List[str]]:
        """Find the stocks of a sector.

        Args:
            sector (str): Such as "Technology".
        """
        return {"symbols": [name for name, stock in self.stocks.items() if stock["sector"] == sector]}

    def get_order_details(self, order_id: int) -> Dict[str, Any]:
        """Show an order.

        Args:
            order_id (int): Number of the order.
        """
        if order_id not in self.orders:
            return {"error": f"Order with ID {order_id} not found."}
        return self.orders[order_id]

    def place_order(self, order_type: str, symbol: str, amount: int) -> Dict[str, Any]:
        """Place an order at the current price.

        Args:
            order_type (str): 'Buy' or 'Sell'.
            symbol (str): Ticker symbol.
            amount (int): Number of shares, 1 to 1000.
        """
        if not self.is_logged_in:
            return {"error": "User not authenticated. Please log in to place an order."}
        if symbol not in self.stocks:
            return {"error": f"Invalid stock symbol: {symbol}"}
        if order_type not in ("Buy", "Sell"):
            return {"error": "Order type must be 'Buy' or 'Sell'."}
        if not 1 <= amount <= 1000:
            return {"error": "Amount must be between 1 and 1000."}
        cost = round(amount * self.stocks[symbol]["price"], 2)
        if order_type == "Buy" and cost > self.balance:
            return {"error": "Insufficient balance."}
        self.balance = round(self.balance - cost if order_type == "Buy" else self.balance + cost, 2)
        order_id = max(self.orders) + 1
        self.orders[order_id] = {
            "id": order_id,
            "order_type": order_type,
            "symbol": symbol,
            "amount": amount,
            "status": "Open",
        }
        self._note(order_type, cost)
        return {"order_id": order_id, "status": "Open"}

    def cancel_order(self, order_id: int) -> Dict[str, Any]:
        """Cancel an open order.

        Args:
            order_id (int): Number of the order.
        """
        if order_id not in self.orders:
            return {"error": f"Order with ID {order_id} not found."}
        if self.orders[order_id]["status"] != "Open":
            return {"error": "Only open orders can be cancelled."}
        self.orders[order_id]["status"] = "Cancelled"
        return {"order_id": order_id, "status": "Cancelled"}

    def fund_account(self, amount: float) -> Dict[str, float]:
        """Pay money in.

        Args:
            amount (float): US dollars, 1 to 50000.
        """
        if not 1 <= amount <= 50_000:
            return {"error": "Funding amount must be between 1 and 50000."}  # type: ignore[dict-item]
        self.balance = round(self.balance + amount, 2)
        self._note("Deposit", amount)
        return {"new_balance": self.balance}

    def add_to_watchlist(self, symbol: str) -> List[str]:
        """Put a stock on the watch list.

        Args:
            symbol (str): Ticker symbol.
        """
        if symbol in self.stocks and symbol not in self.watch_list:
            self.watch_list.append(symbol)
        return self.watch_list

    def get_transaction_history(self, start_date: Optional[str] = None) -> List[Dict[str, Any]]:
        """List what was paid, oldest first.

        Args:
            start_date (str): [Optional] Only from this date on, as YYYY-MM-DD.
        """
        return [each for each in self.transactions if start_date is None or each["timestamp"] >= start_date]

    def logout(self) -> Dict[str, str]:
        """Log out; orders can't be placed any more."""
        self.is_logged_in = False
        return {"status": "Logged out"}

    def login(self, username: str) -> Dict[str, str]:
        """Log in.

        Args:
            username (str): Any name.
        """
        if not username:
            return {"error": "The name is empty."}
        self.is_logged_in = True
        return {"status": f"Welcome {username[:20]}"}

    def _note(self, kind: str, amount: float) -> None:
        stamp = datetime.now().strftime("%Y-%m-%d %H:%M:%S")
        self.transactions.append({"type": kind, "amount": amount, "timestamp": stamp})

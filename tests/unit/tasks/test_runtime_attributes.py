"""Which attributes a tool reads and writes."""

import pytest

from tasks.runtime.signature import tools_of

CODE = """
import bisect
import copy

FREE = "free"


def _stamp(record, now):
    record["changed_at"] = now


def _same(value):
    return value


def _ok(data):
    return {{"success": True, "data": copy.deepcopy(data)}}


class Shop:
    LIMIT = 3
    note = ""

    def __init__(self):
        self.items, self.orders, self.log, self.count, self.now = {{}}, {{}}, [], 0, ""

    def run(self, key: str, value: int):
{body}

    def set_note(self):
        self.note = "x"

    def _item(self, key):
        return self.items.get(key)

    def _next_id(self):
        self.count += 1
        return f"ID-{{self.count}}"

    def _open_orders(self):
        return [order for order in self.orders.values() if order["status"] == "open"]

    def _mark(self, record, *, status):
        record["status"] = status
        _stamp(record, self.now)

    def _deep(self, key):
        return self._deeper(key)

    def _deeper(self, key):
        found = _same(self._item(key))
        return found

    def _rank(self, order):
        return order["total"] + self.count

    @property
    def total(self):
        return len(self.orders)
"""


def accesses(body: str) -> tuple[set[str], set[str]]:
    """What the method `run` with this body reads and writes."""
    lines = "\n".join(f"        {line}" for line in body.splitlines())
    tool = next(each for each in tools_of(CODE.format(body=lines), "Shop") if each.name == "run")
    return set(tool.reads), set(tool.writes)


@pytest.mark.parametrize(
    ("body", "written"),
    [
        ("self.count = 5", {"count"}),
        ("self.count += 1", {"count"}),
        ("del self.items[key]", {"items"}),
        ("self.items[key] = {}", {"items"}),
        ("self.items[key]['parts'][0]['n'] -= 1", {"items"}),
        ("self.items, self.orders = {}, {}", {"items", "orders"}),
        ("self.log.append(1)", {"log"}),
        ("self.items[key]['tags'].sort()", {"items"}),
        ("self.items.setdefault(key, {})", {"items"}),
        ("return self.items.pop(key, None)", {"items"}),
        ("bisect.insort(self.log, value)", {"log"}),
        ("setattr(self, 'count', 1)", {"count"}),
        ("item = self.items[key]\nitem['n'] = 1", {"items"}),
        ("item = self.items.get(key) or {}\nitem.update(n=1)", {"items"}),
        ("if (item := self.items.get(key)):\n    item['n'] = 1", {"items"}),
        ("for item in self.items.values():\n    item['n'] = 1", {"items"}),
        ("for name, item in sorted(self.items.items()):\n    item['n'] = 1", {"items"}),
        ("for n, item in enumerate(list(self.items.values())):\n    item['n'] = n", {"items"}),
        ("found = [i for i in self.items.values() if i['n']]\nfound[0]['n'] = 1", {"items"}),
        ("found = []\nfor i in self.items.values():\n    found.append(i)\nfor i in found:\n    i['n'] = 1", {"items"}),
        ("groups = {}\nfor i in self.items.values():\n    groups.setdefault(i['kind'], []).append(i)\n"
         "for group in groups.values():\n    for i in group:\n        i['n'] = 1", {"items"}),
        ("found = []\nfound.extend(self.items.values())\nfound[0]['n'] = 1", {"items"}),
        ("best = max(self.items.values(), key=len)\nbest['n'] = 1", {"items"}),
        ("first = next((i for i in self.items.values()), None)\nfirst['n'] = 1", {"items"}),
        ("found = {'item': self.items[key]}\nfound['item']['n'] = 1", {"items"}),
        ("tags = self.items[key]['tags']\ntags.append('x')", {"items"}),
        ("a, b = self.items[key], self.orders[key]\nb['n'] = 1", {"orders"}),
        ("item = self._item(key)\nitem['n'] = 1", {"items"}),
        ("item = self._deep(key)\nitem['n'] = 1", {"items"}),
        ("for order in self._open_orders():\n    order['n'] = 1", {"orders"}),
        ("self._mark(self.orders[key], status='x')", {"orders"}),
        ("_stamp(record=self.orders[key], now=self.now)", {"orders"}),
        ("self.orders[self._next_id()] = {}", {"orders", "count"}),
        ("self.note = 'x'", {"note"}),
    ],
)  # fmt: skip
def test_a_change_is_found_however_it_is_made(body: str, written: set[str]) -> None:
    assert accesses(body)[1] == written


@pytest.mark.parametrize(
    "body",
    [
        "found = list(self.items.values())\nfound.sort(key=len)\nreturn found",
        "found = sorted(self.items.values(), key=len)\nfound.pop()",
        "copied = copy.deepcopy(self.items[key])\ncopied['n'] = 1",
        "row = dict(self.items[key])\nrow['n'] = 1",
        "row = {**self.items[key], 'n': 1}\nrow['m'] = 2",
        "row = self.items[key].copy()\nrow['n'] = 1",
        "names = [i['name'] for i in self.items.values()]\nnames.append('x')",
        "out = {'owner': {'name': self.items[key]['name']}}\nout['owner']['n'] = 1",
        "total = self.count\ntotal += 1\nreturn total",
        "groups = {}\nfor i in self.items.values():\n    groups.setdefault(i['kind'], []).append(i['name'])",
        "n = {}\nfor i in self.items.values():\n    n.setdefault(i['a'], {})['b'] = i['c']\n    n[i['a']]['b'] += 1",
        "rows = []\nrows.extend(self.items.values())\nrows.insert(0, {})\nrows.sort(key=len)",
        "return _ok([i for i in self.items.values() if key in i['name']])",
        "record = {}\nself._mark(record, status='x')",
        "return max(self._open_orders(), key=self._rank)",
    ],
)
def test_work_on_copies_is_no_change(body: str) -> None:
    assert accesses(body)[1] == set()


@pytest.mark.parametrize(
    ("body", "read"),
    [
        ("return self.items[key]", {"items"}),
        ("return key in self.items and self.now", {"items", "now"}),
        ("self.items[key] = self.now", {"now"}),
        ("self.items[key]['n'] = 1", set()),
        ("self.items[key]['n'] += 1", {"items"}),
        ("self.count += 1", {"count"}),
        ("self.log.append(self.count)", {"count"}),
        ("return self.log.pop()", {"log"}),
        ("return self._deep(key)", {"items"}),
        ("return sorted(self._open_orders(), key=self._rank)", {"orders", "count"}),
        ("return self.total", {"orders"}),
        ("return self.LIMIT", set()),
        ("return self.note", {"note"}),
        ("return self._cache", set()),
        ("return [i for i in self.items for o in self.orders]", {"items", "orders"}),
    ],
)
def test_a_read_is_found_through_helpers(body: str, read: set[str]) -> None:
    assert accesses(body)[0] == read

"""The tool that moves modules: a small package is merged, runs as before, and what went wrong is refused or seen."""

import ast
import re
import subprocess
import sys
import textwrap

import pytest

from tests.support.moves.apply import apply
from tests.support.moves.compare import compare
from tests.support.moves.mapping import MoveError
from tests.support.moves.modules import Package
from tests.support.moves.scopes import Scopes
from tests.support.moves.summary import circles

FILES = {
    "shop/__init__.py": '''
        """A shop."""

        import importlib

        _HOMES = {"shop.goods.prices": ["price"], "shop.goods.taxes": ["tax"], "shop.orders.orders": ["Order"]}
        _HOME = {name: home for home, names in _HOMES.items() for name in names}


        def __getattr__(name):
            if name not in _HOME:
                raise AttributeError(name)
            return getattr(importlib.import_module(_HOME[name]), name)
    ''',
    "shop/goods/__init__.py": '''
        """Goods.

        ``prices.py`` has prices.
        """

        from shop.goods.prices import price

        __all__ = ["price"]
    ''',
    "shop/goods/prices.py": '''
        """Prices of goods, with ``taxes.py``."""

        from __future__ import annotations

        from typing import TYPE_CHECKING

        from shop.goods import taxes
        from shop.goods.taxes import RATE as PERCENT

        if TYPE_CHECKING:
            from decimal import Decimal

            from shop.orders.orders import Order

        # what a thing costs
        BASE = 10
        """Cents."""


        def price(count: int, order: Order | None = None) -> Decimal | int:
            """Return a price.

            >>> price(2)
            21
            >>> _rounded(1.2)
            1
            """
            amount = _rounded(count * BASE + taxes.tax(count))
            return int(f"{amount}") if PERCENT else 0


        def _rounded(value: float) -> int:
            return round(value)  # not as `shop.goods.taxes.tax` does
    ''',
    "shop/goods/taxes.py": '''
        """Taxes: see shop/goods/prices.py."""

        from dataclasses import dataclass

        from shop.labels import Label

        RATE = 5


        @dataclass
        class Tax(Label):
            """A tax."""

            rate: int = RATE


        def tax(count):
            from shop.goods.prices import BASE

            return _rounded(count * BASE * RATE / 100)


        def _rounded(value):
            return round(value, 1)


        TABLE = {"food": _rounded(RATE / 10)}
    ''',
    "shop/goods/stock.py": '"""Stock."""\n',
    "shop/labels.py": '''
        """Labels."""


        class Label:
            """A label."""

            text = "label"
    ''',
    "shop/orders/__init__.py": '"""Orders."""\n',
    "shop/orders/orders.py": '''
        """Orders."""

        from shop.goods import price, taxes
        from shop.goods.taxes import TABLE


        class Order:
            """An order."""

            def total(self, count):
                return f"{price(count)} {taxes.RATE} {TABLE['food']}"
    ''',
    "checks/check_orders.py": """
        import shop.goods.taxes
        from shop.goods import taxes
        from shop.goods.taxes import _rounded
        from shop.orders.orders import Order


        def check(monkeypatch):
            monkeypatch.setattr("shop.goods.taxes._rounded", round)
            monkeypatch.setattr(taxes, "_rounded", round)
            assert shop.goods.taxes.RATE == 5 and _rounded(1.26) == 1.3
            assert "from shop.goods.taxes import RATE, TABLE" and Order
    """,
    "README.md": "Prices are in `shop/goods/prices.py`, taxes in `shop.goods.taxes.tax`; `shop.goods` stays.\n",
}
MAPPING = """
[top]
"prices.py" = ["goods/prices.py", "goods/taxes.py", "labels.py"]
[renames]
"goods/taxes.py:_rounded" = "_round_tax"
[docs]
"prices.py" = "Prices and taxes."
"""


@pytest.fixture
def shop(tmp_path):
    """Write the package, twice, and a mapping; return a function that moves it."""
    for folder in ("old", "new"):
        for path, text in FILES.items():
            file = tmp_path / folder / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(textwrap.dedent(text).lstrip("\n"))

    def move(mapping=MAPPING, **changed):
        for path, text in changed.items():
            name = path.replace("__", "/") + ".py"
            for folder in ("old", "new"):
                (tmp_path / folder / "shop" / name).write_text(textwrap.dedent(text).lstrip("\n"))
        (tmp_path / "mapping.toml").write_text(mapping)
        return apply(tmp_path / "new", tmp_path / "mapping.toml", "shop")

    def again(mapping):
        (tmp_path / "mapping.toml").write_text(mapping)
        return apply(tmp_path / "old", tmp_path / "mapping.toml", "shop")

    move.again = again
    move.new, move.old, move.mapping = tmp_path / "new", tmp_path / "old", tmp_path / "mapping.toml"
    move.compare = lambda: compare(move.old, move.new, move.mapping, "shop")
    return move


def run(folder, code):
    """Return what code prints in a folder."""
    return subprocess.run([sys.executable, "-c", code], cwd=folder, check=True, capture_output=True, text=True).stdout


def test_a_merged_package_runs_as_before(shop):
    code = "import shop; print(shop.price(3), shop.tax(2), shop.Order().total(1)); import shop.orders.orders"
    before = run(shop.old, code)
    shop()
    assert run(shop.new, code) == before == "32 1.0 10 5 0.5\n"
    assert not (shop.new / "shop/goods/taxes.py").exists()
    assert not (shop.new / "shop/labels.py").exists()
    assert shop.compare() == []


def test_the_merged_file_has_one_head_and_definitions_after_what_they_need(shop):
    shop()
    text = (shop.new / "shop/prices.py").read_text()
    assert text.splitlines()[:3] == ['"""Prices and taxes."""', "", "from __future__ import annotations"]
    assert text.count("import annotations") == text.count("if TYPE_CHECKING:") == 1
    assert re.search(r"shop\.orders\.orders import Order\b", text)
    assert "from shop.goods" not in text
    order = [text.index(part) for part in ("BASE = 10", "class Label", "class Tax", "TABLE =")]
    assert order == sorted(order)
    assert '# what a thing costs\nBASE = 10\n"""Cents."""\n' in text


def test_names_are_those_of_the_new_file(shop):
    shop()
    text = (shop.new / "shop/prices.py").read_text()
    assert "_rounded(count * BASE + tax(count))" in text
    assert "if RATE else" in text
    assert "_round_tax(count * BASE * RATE / 100)" in text
    assert ">>> _rounded(1.2)" in text
    orders = (shop.new / "shop/orders/orders.py").read_text()
    assert "from shop import prices\n" in orders
    assert "{prices.RATE}" in orders
    assert "from shop.goods import price\n" in orders


def test_strings_tests_and_documents_follow(shop):
    shop()
    check = (shop.new / "checks/check_orders.py").read_text()
    assert '("shop.prices._round_tax", round)' in check
    assert 'setattr(prices, "_round_tax", round)' in check
    assert "import shop.prices\n" in check
    assert "prices.RATE == 5 and _round_tax(1.26)" in check
    assert '"from shop.prices import RATE, ' in check
    names = re.findall("`(.*?)`", (shop.new / "README.md").read_text())
    assert names == ["shop/prices.py", "shop.prices.tax", "shop.goods"]
    assert "`shop.prices.tax` does" in (shop.new / "shop/prices.py").read_text()


def test_entries_of_one_new_module_are_joined(shop):
    shop()
    text = (shop.new / "shop/__init__.py").read_text()
    homes = re.search(r"^_HOMES = (\{.*\})$", text, re.MULTILINE)
    assert ast.literal_eval(homes[1]) == {"shop.prices": ["price", "tax"], "shop.orders.orders": ["Order"]}


def test_registries_leave_out_a_prefix_and_tuples_are_joined(shop):
    registry = 'FAMILIES = {"prices": ("a",), "taxes": ("b", "c")}\n'
    prices, taxes = 'FAMILY = ("a",)\n', 'FAMILY = ("b", "c")\n'
    mapping = """
        [goods]
        "all.py" = ["goods/prices.py", "goods/taxes.py"]
        [registries]
        "labels.py:FAMILIES" = "shop.goods"
        [joins]
        names = ["FAMILY"]
    """
    for path in ("shop/orders/orders.py", "shop/goods/__init__.py", "checks/check_orders.py"):
        (shop.new / path).unlink()
        (shop.old / path).unlink()
    shop(mapping, labels=registry, goods__prices=prices, goods__taxes=taxes)
    family, families = "from shop.goods.all import FAMILY", "from shop.labels import FAMILIES"
    assert run(shop.new, f"{family}; print(FAMILY)") == "('a', 'b', 'c')\n"
    assert run(shop.new, f"{families}; print(FAMILIES)") == "{'all': ('a', 'b', 'c')}\n"
    assert shop.compare() == []


def test_all_collisions_are_refused_at_once_and_nothing_changes(shop):
    with pytest.raises(MoveError) as refusal:
        shop(
            MAPPING.replace('"goods/taxes.py:_rounded" = "_round_tax"', ""),
            labels="def price():\n    return round\n\n\ndef round():\n    return 1\n",
        )
    message = str(refusal.value)
    assert "_rounded means 2 things" in message
    assert "price means 2 things" in message
    assert "the builtin" in message
    assert (shop.new / "shop/goods/taxes.py").exists()
    assert not (shop.new / "shop/prices.py").exists()


@pytest.mark.parametrize(
    ("mapping", "message"),
    [
        ('[top]\n"a.py" = ["goods/nothing.py"]', "no file goods/nothing.py"),
        ('[top]\n"a.py" = ["labels.py"]\n"b.py" = ["labels.py"]', "labels.py: listed 2 times"),
        ('[renames]\n"labels.py:nothing" = "x"', "no such name"),
        ('[top]\n"orders.py" = ["labels.py"]', "a folder of this name"),
        ('[top]\n"labels.py" = ["goods/taxes.py"]', "keeps its place"),
    ],
)
def test_a_mapping_that_cannot_be_is_refused(shop, mapping, message):
    with pytest.raises(MoveError, match=message):
        shop(mapping)


def test_a_local_variable_that_would_hide_a_name_is_refused_until_it_is_renamed(shop):
    prices = """
        from shop.goods import taxes


        def price(count):
            tax = 3
            return f"{tax} {taxes.tax(count)}"
    """
    mapping = '[goods]\n"prices.py" = ["goods/prices.py", "goods/taxes.py"]\n'
    taxes = "def tax(count):\n    return count\n\n\nRATE, TABLE, _rounded = 5, {}, round\n"
    with pytest.raises(MoveError, match="a local variable shadows tax"):
        shop(mapping, goods__prices=prices, goods__taxes=taxes)
    shop(mapping + '[renames]\n"goods/taxes.py:tax" = "tax_of"\n')
    assert run(shop.new, "import shop; print(shop.price(2))") == "3 2\n"
    assert shop.compare() == []


def test_a_local_variable_can_be_renamed(shop):
    mapping = MAPPING + '[local_renames]\n"goods/prices.py:price.amount" = "cents"\n'
    shop(mapping)
    assert 'int(f"{cents}")' in (shop.new / "shop/prices.py").read_text()
    assert shop.compare() == []
    with pytest.raises(MoveError, match="cannot become cents"):
        shop.again(MAPPING + '[local_renames]\n"goods/prices.py:price.count" = "cents"\n')


@pytest.mark.parametrize(
    ("before", "after", "difference"),
    [
        ("count * BASE + tax", "tax + count * BASE", "prices:price changed"),
        ("BASE = 10", "BASE = 11", "prices:BASE changed"),
        ('"""Cents."""', '"""Euros."""', "prices:BASE changed"),
        ("return _round_tax(", "return _rounded(", "taxes:tax changed"),
        ('text = "label"', 'text = "labels"', "labels:Label changed"),
        ('TABLE = {"food": _round_tax(RATE / 10)}', "", "taxes:TABLE is not"),
        ("RATE = 5\n", "RATE = 5\nSPARE = RATE\n", "SPARE is new"),
    ],
)
def test_compare_sees_what_changed(shop, before, after, difference):
    shop()
    file = shop.new / "shop/prices.py"
    text = file.read_text()
    assert before in text
    file.write_text(text.replace(before, after, 1))
    assert any(difference in line for line in shop.compare())


def test_compare_sees_an_import_of_something_else(shop):
    shop()
    file = shop.new / "shop/orders/orders.py"
    file.write_text(file.read_text().replace("from shop.goods import price", "from shop.prices import tax as price"))
    assert any("Order changed" in line for line in shop.compare())


def test_a_folder_without_modules_is_dissolved_and_a_new_one_has_a_docstring(shop):
    mapping = """
        [store]
        "orders.py" = ["orders/orders.py"]
        [docs]
        "store/__init__.py" = "What is sold."
    """
    shop(mapping)
    assert not (shop.new / "shop/orders").exists()
    assert (shop.new / "shop/store/__init__.py").read_text() == '"""What is sold."""\n'
    home = run(shop.new, "import shop; print(shop.Order.__module__)")
    assert home == "shop.store.orders\n"
    assert shop.compare() == []


def test_scopes_follow_python():
    code = "x = 1\nclass A:\n    x = 2\n    def f(self):\n        return x\n    y = [x for _ in x]\ndef g(x):\n    return [x for x in x]\n"
    scopes = Scopes(ast.parse(code))
    homes = [
        scope.find(node.id).kind for node, scope in scopes.names if node.id == "x" and isinstance(node.ctx, ast.Load)
    ]
    assert homes == ["module", "class", "module", "function", "comprehension"]


def test_circles_are_those_of_the_load_or_of_all_imports(shop):
    package = Package(shop.old, "shop")
    assert circles(package, lazy=False) == []
    assert circles(package, lazy=True) == [
        ["shop.goods", "shop.goods.prices", "shop.goods.taxes", "shop.orders.orders"]
    ]


def test_files_of_tests_are_merged_with_their_fixtures_and_marks(shop):
    shared = "LIMIT = 3\n\n\n@pytest.fixture\ndef stock():\n    return {n}\n\n\n"
    for folder in (shop.old, shop.new):
        (folder / "shop/test_a.py").write_text(
            "import pytest\n\npytestmark = [pytest.mark.slow, pytest.mark.filterwarnings('error')]\n"
            + shared.format(n=1)
            + "def test_one(stock):\n    assert stock < LIMIT\n\n\n@pytest.mark.few(1)\nclass TestTwo:\n    pass\n"
        )
        (folder / "shop/test_b.py").write_text(
            "import pytest\n\n" + shared.format(n=2) + "def test_three(stock):\n    assert stock == 2 < LIMIT\n"
        )
    mapping = '[top]\n"test_all.py" = ["test_a.py", "test_b.py"]\n[renames]\n"test_b.py:stock" = "large_stock"\n'
    with pytest.raises(MoveError, match="LIMIT means 2 things"):
        shop(mapping)
    shop(mapping + '[once]\n"test_all.py:LIMIT" = ["test_a.py", "test_b.py"]\n')
    text = (shop.new / "shop/test_all.py").read_text()
    assert text.count("LIMIT = 3") == 1
    marks = '@pytest.mark.slow\n@pytest.mark.filterwarnings("error")\n'
    assert f"{marks}def test_one(stock):\n" in text
    assert f"{marks}@pytest.mark.few(1)\nclass TestTwo:\n" in text
    assert "def large_stock():\n    return 2\n" in text
    assert "\n\n\ndef test_three(large_stock):\n" in text
    assert "assert large_stock == 2 < LIMIT\n" in text
    assert shop.compare() == []

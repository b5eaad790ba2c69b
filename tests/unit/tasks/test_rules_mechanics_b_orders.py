"""Products and orders: what their tools do, and that every rule is enforced."""

from typing import Any

import pytest

from tests.fakes.desk import Desk, desk

SEEDS = (1, 2)
THURSDAY = "2025-06-19T12:00"


def customers(**details: Any) -> dict[str, Any]:
    return {
        f"CUS-000{number}": {
            "customer_id": f"CUS-000{number}",
            "full_name": f"Customer {number}",
            "phone": f"+44113496000{number}",
            "email": None,
            **details,
            "status": "active",
        }
        for number in (1, 2)
    }


def product(one: str, key: str, price: int, **details: Any) -> dict[str, Any]:
    return {f"{one}_id": key, "name": key, "price_cents": price, "status": "listed", **details}


def shop() -> dict[str, Any]:
    products = {
        f"PRD-000{number}": product("product", f"PRD-000{number}", 1000, category="socks", stock=stock, stocked=stock)
        for number, stock in ((1, 5), (2, 20), (3, 0))
    }
    return {"now": THURSDAY, "customers": customers(country="sweden", newsletter="never"), "products": products}


def order_of(shop_desk: Desk, customer: int, **quantities: int) -> str:
    """An open order with these lines; the names are PRD_0001 and so on."""
    order_id = str(shop_desk.do("open_order", customer_id=f"CUS-000{customer}")["order_id"])
    for name, quantity in quantities.items():
        shop_desk.do("add_order_line", order_id=order_id, product_id=name.replace("_", "-"), quantity=quantity)
    return order_id


@pytest.mark.parametrize("seed", SEEDS)
def test_only_an_open_order_is_edited_and_its_total_is_the_sum_of_its_lines(seed: int) -> None:
    with desk("online-shop", seed, shop()) as counter:
        order = order_of(counter, 1, PRD_0001=2, PRD_0002=3)
        assert counter.record("orders", order)["total_cents"] == 5000
        counter.do("set_product_price", product_id="PRD-0001", price_cents=9900)
        counter.do("change_order_line_quantity", order_line_id="LIN-0001", quantity=4)
        assert counter.record("orders", order)["total_cents"] == 7000, "the price of the day it was added"
        counter.do("remove_order_line", order_line_id="LIN-0002")
        assert counter.record("orders", order)["total_cents"] == 4000

        assert "already" in counter.refuses("add_order_line", order_id=order, product_id="PRD-0001", quantity=1)
        assert "1 and 10" in counter.refuses("change_order_line_quantity", order_line_id="LIN-0001", quantity=11)
        assert "1 and 10" in counter.refuses(
            "add_order_line", order_id=order, product_id="PRD-0002", quantity=-(10**50)
        )
        assert "ORD-0001" in counter.refuses("open_order", customer_id="CUS-0001")
        counter.do("place_order", order_id=order)
        late = {"order_id": order, "product_id": "PRD-0002", "quantity": 1}
        assert "only an open order" in counter.refuses("add_order_line", **late)
        assert "only an open order" in counter.refuses("remove_order_line", order_line_id="LIN-0001")
        assert "still placed" in counter.refuses("close_customer", customer_id="CUS-0001")


@pytest.mark.parametrize("seed", SEEDS)
def test_placing_takes_units_from_stock_and_cancelling_gives_them_back(seed: int) -> None:
    with desk("online-shop", seed, shop()) as counter:
        empty = order_of(counter, 1)
        counter.breaks("order_placed_with_lines", "place_order", order_id=empty)
        counter.do("add_order_line", order_id=empty, product_id="PRD-0001", quantity=4)
        rival = order_of(counter, 2, PRD_0001=2, PRD_0002=1)
        counter.do("place_order", order_id=empty)

        assert counter.record("products", "PRD-0001")["stock"] == 1
        counter.breaks("order_placed_from_stock", "place_order", order_id=rival)
        counter.do("cancel_order", order_id=empty)
        assert counter.record("products", "PRD-0001")["stock"] == 5
        counter.do("mark_product_delisted", product_id="PRD-0002")
        counter.breaks("order_placed_with_lines", "place_order", order_id=rival)
        assert "delisted" in counter.refuses("restock_product", product_id="PRD-0002", quantity=5)
        counter.do("mark_product_listed", product_id="PRD-0002")
        assert counter.do("restock_product", product_id="PRD-0001", quantity=1000)["stock"] == 1005
        assert "1000" in counter.refuses("restock_product", product_id="PRD-0001", quantity=1001)


@pytest.mark.parametrize("seed", SEEDS)
def test_a_parcel_goes_its_way_and_comes_back_in_time_only(seed: int) -> None:
    with desk("online-shop", seed, shop()) as counter:
        order = order_of(counter, 1, PRD_0001=2)
        assert "not placed" in counter.refuses("pack_order", order_id=order)
        counter.do("place_order", order_id=order)
        assert "not packed" in counter.refuses("ship_order", order_id=order)
        counter.do("pack_order", order_id=order)
        counter.do("ship_order", order_id=order)
        assert "any more" in counter.refuses("cancel_order", order_id=order)
        assert "not delivered" in counter.refuses("return_order", order_id=order, reason="damaged")
        counter.do("deliver_order", order_id=order)
        counter.set_clock("2025-07-20T12:00")
        counter.breaks("order_returned_in_time", "return_order", order_id=order, reason="damaged")
        counter.set_clock("2025-07-19T12:00")
        counter.do("return_order", order_id=order, reason="damaged")
        assert counter.record("products", "PRD-0001")["stock"] == 5


@pytest.mark.parametrize("seed", SEEDS)
def test_a_prescription_is_asked_for_and_returned_medicine_is_not_sold_again(seed: int) -> None:
    medicine = product("medicine", "MED-0001", 900, shelf="painkillers", stock=9, stocked=9, needs_prescription=True)
    state = {"now": THURSDAY, "customers": customers(birth_date="1980-01-01", allergy="lactose")}
    with desk("pharmacy-counter", seed, {**state, "medicines": {"MED-0001": medicine}}) as counter:
        counter.do("open_order", customer_id="CUS-0001")
        counter.do("add_order_line", order_id="ORD-0001", medicine_id="MED-0001", quantity=4)
        counter.breaks("order_prescription_number", "place_order", order_id="ORD-0001")
        text = {"order_id": "ORD-0001", "prescription_number": "x" * 100_000}
        assert "capital letters" in counter.refuses("record_prescription_number", **text)
        counter.do("record_prescription_number", order_id="ORD-0001", prescription_number="RX-12345")
        counter.do("place_order", order_id="ORD-0001")
        counter.do("prepare_order", order_id="ORD-0001")
        counter.do("hand_over_order", order_id="ORD-0001")
        counter.do("return_order", order_id="ORD-0001", reason="damaged")

        assert counter.record("medicines", "MED-0001")["stock"] == 5
        assert counter.record("orders", "ORD-0001")["return_reason"] == "damaged"


def delivery() -> dict[str, Any]:
    restaurants = {
        f"RST-000{number}": {
            "restaurant_id": f"RST-000{number}",
            "name": name,
            "cooking_minutes": 20,
            "status": "active",
        }
        for number, name in ((1, "Pide Palace"), (2, "Burger Barn"))
    }
    dishes = {
        f"DSH-000{number}": {
            **product("dish", f"DSH-000{number}", price, course="main", restaurant_id=f"RST-000{kitchen}"),
            "status": "available",
        }
        for number, kitchen, price in ((1, 1, 500), (2, 1, 700), (3, 2, 900))
    }
    couriers = {
        f"CRR-000{number}": {
            "courier_id": f"CRR-000{number}",
            "full_name": f"Courier {number}",
            "covers": [zone],
            "works_on": [day],
            "status": "available",
        }
        for number, zone, day in ((1, "harbour", "thu"), (2, "hillside", "thu"), (3, "harbour", "fri"))
    }
    people = customers(district="harbour", floor=2)
    return {"now": THURSDAY, "customers": people, "restaurants": restaurants, "dishes": dishes, "couriers": couriers}


@pytest.mark.parametrize("seed", SEEDS)
def test_an_order_is_from_one_kitchen_and_comes_to_enough(seed: int) -> None:
    with desk("food-delivery", seed, delivery()) as dispatch:
        dispatch.do("open_order", customer_id="CUS-0001", restaurant_id="RST-0001")
        assert "RST-0002" in dispatch.refuses("add_order_line", order_id="ORD-0001", dish_id="DSH-0003", quantity=2)
        dispatch.do("add_order_line", order_id="ORD-0001", dish_id="DSH-0001", quantity=1)
        dispatch.breaks("order_least_total", "place_order", order_id="ORD-0001")
        dispatch.do("add_order_line", order_id="ORD-0001", dish_id="DSH-0002", quantity=1)
        assert dispatch.do("place_order", order_id="ORD-0001")["total_cents"] == 1200
        assert "still placed" in dispatch.refuses("pause_restaurant", restaurant_id="RST-0001")


@pytest.mark.parametrize("seed", SEEDS)
def test_a_courier_goes_there_today_and_carries_two_orders(seed: int) -> None:
    with desk("food-delivery", seed, delivery()) as dispatch:
        for number in (1, 2, 3):
            order = f"ORD-000{number}"
            dispatch.do("open_order", customer_id="CUS-0001", restaurant_id="RST-0001")
            dispatch.do("add_order_line", order_id=order, dish_id="DSH-0002", quantity=2)
            dispatch.do("place_order", order_id=order)
            dispatch.do("accept_order", order_id=order)
        dispatch.breaks("courier_goes_there", "dispatch_order", order_id="ORD-0001", courier_id="CRR-0002")
        dispatch.breaks("courier_goes_there", "dispatch_order", order_id="ORD-0001", courier_id="CRR-0003")
        listed = dispatch.do("list_couriers_for_order", order_id="ORD-0001")
        assert [each["courier_id"] for each in listed] == ["CRR-0001"]
        dispatch.do("dispatch_order", order_id="ORD-0001", courier_id="CRR-0001")
        dispatch.do("dispatch_order", order_id="ORD-0002", courier_id="CRR-0001")
        assert "2 orders" in dispatch.refuses("dispatch_order", order_id="ORD-0003", courier_id="CRR-0001")
        assert "under way" in dispatch.refuses("mark_courier_away", courier_id="CRR-0001")
        dispatch.do("deliver_order", order_id="ORD-0001")
        dispatch.do("dispatch_order", order_id="ORD-0003", courier_id="CRR-0001")


@pytest.mark.parametrize("seed", SEEDS)
def test_an_order_has_eight_lines_at_most(seed: int) -> None:
    numbers = range(1, 10)
    products = {
        f"PRD-000{number}": product("product", f"PRD-000{number}", 1000, category="gear", stock=5, stocked=5)
        for number in numbers
    }
    with desk("online-shop", seed, {**shop(), "products": products}) as counter:
        order = order_of(counter, 1, **{f"PRD_000{number}": 1 for number in numbers if number < 9})
        assert "8 lines" in counter.refuses("add_order_line", order_id=order, product_id="PRD-0009", quantity=1)

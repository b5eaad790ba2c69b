"""Folders, grants and messages: what their tools do, and that every rule is enforced."""

from typing import Any

import pytest

from tests.fakes.desk import desk

SEEDS = (1, 2)
MONDAY = "2025-06-16T09:00"


def people(one: str, prefix: str, count: int, **details: Any) -> dict[str, Any]:
    """People of a registry; the last one is inactive."""
    found = {}
    for number in range(1, count + 1):
        key = f"{prefix}-000{number}"
        status = "inactive" if number == count else "active"
        found[key] = {f"{one}_id": key, "full_name": f"Person {number}", **details, "status": status}
    return found


def library() -> dict[str, Any]:
    return {"now": MONDAY, "members": people("member", "MEM", 4, team="legal")}


def new_document(title: str = "Contract", folder: int = 1, member: int = 1) -> dict[str, Any]:
    return {"title": title, "folder_id": f"FLD-000{folder}", "member_id": f"MEM-000{member}"}


@pytest.mark.parametrize("seed", SEEDS)
def test_folders_are_a_tree_of_at_most_four_levels(seed: int) -> None:
    with desk("document-library", seed, library()) as office:
        office.do("create_folder", name="A")
        for number in (1, 2, 3):
            office.do("create_folder", name="B", parent_folder_id=f"FLD-000{number}")
        assert "below level 4" in office.refuses("create_folder", name="C", parent_folder_id="FLD-0004")
        assert "inside" in office.refuses("move_folder", folder_id="FLD-0001", parent_folder_id="FLD-0003")
        assert "itself" in office.refuses("move_folder", folder_id="FLD-0001", parent_folder_id="FLD-0001")
        office.do("create_folder", name="b")
        assert "FLD-0005" in office.refuses("move_folder", folder_id="FLD-0002"), "the name is taken at the top"
        assert "FLD-0005" in office.refuses("create_folder", name="B")
        assert "FLD-0001" in office.refuses("rename_folder", folder_id="FLD-0005", name="a")
        office.do("rename_folder", folder_id="FLD-0005", name="C")
        assert "below level 4" in office.refuses("move_folder", folder_id="FLD-0001", parent_folder_id="FLD-0005")
        office.do("move_folder", folder_id="FLD-0002")
        office.do("move_folder", folder_id="FLD-0001", parent_folder_id="FLD-0005")
        office.breaks("folder_deleted_when_empty", "delete_folder", folder_id="FLD-0005")
        office.do("create_document", **new_document())
        office.breaks("folder_deleted_when_empty", "delete_folder", folder_id="FLD-0001")
        office.do("delete_folder", folder_id="FLD-0004")


@pytest.mark.parametrize("seed", SEEDS)
def test_a_document_is_edited_by_one_and_not_at_all_once_archived(seed: int) -> None:
    with desk("document-library", seed, library()) as office:
        for name in ("A", "B"):
            office.do("create_folder", name=name)
        office.do("create_document", **new_document())
        one = {"document_id": "DOC-0001"}
        assert "called so" in office.refuses("create_document", **new_document("contract"))
        assert "not active" in office.refuses("create_document", **new_document("Other", member=4))
        office.do("check_out_document", **one, member_id="MEM-0002")
        office.breaks("document_edited_by_one", "check_out_document", **one, member_id="MEM-0001")
        assert "checked out" in office.refuses("archive_document", **one)
        assert "checked DOC-0001 out" in office.refuses("deactivate_member", member_id="MEM-0002")
        version = office.do("check_in_document", **one, summary="Totals corrected")
        assert (version["number"], version["member_id"]) == (2, "MEM-0002")
        assert "not checked out" in office.refuses("release_document", **one)
        office.do("tag_document", **one, tag="draft")
        assert "already" in office.refuses("tag_document", **one, tag="draft")
        office.do("archive_document", **one)
        for tool, arguments in (
            ("rename_document", {"title": "Other"}),
            ("move_document", {"folder_id": "FLD-0002"}),
            ("untag_document", {"tag": "draft"}),
            ("check_out_document", {"member_id": "MEM-0001"}),
        ):
            office.breaks("archived_document_not_edited", tool, **one, **arguments)
        copy = office.do("copy_document", **one, folder_id="FLD-0002")
        assert (copy["newest_version"], copy["tags"], copy["status"]) == (1, ["draft"], "active")
        assert "called so" in office.refuses("copy_document", **one, folder_id="FLD-0001")
        office.do("restore_document", **one)
        assert "called so" in office.refuses("move_document", **one, folder_id="FLD-0002")
        assert [each["number"] for each in office.do("list_versions", **one)] == [1, 2]


@pytest.mark.parametrize("seed", SEEDS)
def test_a_permission_is_for_one_pair_and_lasts_the_shorter_the_higher_it_is(seed: int) -> None:
    with desk("document-library", seed, library()) as office:
        office.do("create_folder", name="A")
        office.do("create_document", **new_document())
        wanted = {"member_id": "MEM-0002", "document_id": "DOC-0001"}
        own = {"member_id": "MEM-0001", "document_id": "DOC-0001", "level": "read", "expires_on": "2025-06-20"}
        office.breaks("permission_not_for_owner", "grant_permission", **own)
        for day in ("2025-06-16", "2025-08-01", "9999-12-31"):
            assert "expires_on must" in office.refuses("grant_permission", **wanted, level="edit", expires_on=day)
        office.do("grant_permission", **wanted, level="comment", expires_on="2025-09-30")
        assert "PRM-0001" in office.refuses("grant_permission", **wanted, level="read", expires_on="2025-06-20")
        one = {"permission_id": "PRM-0001"}
        assert "ends by 2025-07-31" in office.refuses("change_permission_level", **one, level="edit")
        assert office.do("change_permission_level", **one, level="read")["level"] == "read"
        office.breaks("permission_expires_later", "extend_permission", **one, expires_on="2025-09-30")
        office.do("extend_permission", **one, expires_on="2026-06-16")
        assert "revoke it first" in office.refuses("deactivate_member", member_id="MEM-0002")
        office.do("revoke_permission", **one)
        office.breaks("permission_expires_later", "extend_permission", **one, expires_on="2026-06-17")
        office.do("grant_permission", **wanted, level="edit", expires_on="2025-07-31")
        office.set_clock("2025-08-01T09:00")
        assert "expired" in office.refuses("revoke_permission", permission_id="PRM-0002")
        assert office.do("list_permissions", only_in_force=True) == []


def chat() -> dict[str, Any]:
    colleagues = people("colleague", "COL", 4, team="sales", presence="online")
    phones = {key: {**each, "phone": f"+44113496{key[-4:]}", "email": None} for key, each in colleagues.items()}
    return {"now": MONDAY, "colleagues": phones}


def opened(room: Any) -> None:
    """One channel with two members."""
    room.do("create_channel", name="ops", topic="Deploys", colleague_id="COL-0001")
    room.do("add_colleague_to_channel", channel_id="CHN-0001", colleague_id="COL-0002")


@pytest.mark.parametrize("seed", SEEDS)
def test_only_members_of_an_open_channel_write_in_it(seed: int) -> None:
    inside, outside = {"colleague_id": "COL-0001"}, {"colleague_id": "COL-0003"}
    with desk("team-messaging", seed, chat()) as room:
        opened(room)
        one = {"channel_id": "CHN-0001"}
        assert "called so" in room.refuses("create_channel", name="OPS", topic="Again", **outside)
        assert "already" in room.refuses("add_colleague_to_channel", **one, **inside)
        assert "not active" in room.refuses("add_colleague_to_channel", **one, colleague_id="COL-0004")
        room.breaks("only_members_message", "post_message", **one, **outside, text="Hello")
        room.do("post_message", **one, **inside, text="Hello")
        room.breaks("only_members_reply", "reply_to_message", message_id="MSG-0001", **outside, text="Hi")
        room.do("reply_to_message", message_id="MSG-0001", colleague_id="COL-0002", text="Hi")
        assert "reply to MSG-0001 instead" in room.refuses(
            "reply_to_message", message_id="MSG-0002", **inside, text="So"
        )
        assert len(room.do("list_unread_messages", **one, **inside)) == 2
        room.do("mark_channel_read", **one, **inside)
        assert "read everything" in room.refuses("mark_channel_read", **one, **inside)
        assert room.do("set_channel_attention", **one, **inside, attention="muted")["attention"] == "muted"
        room.do("archive_channel", **one)
        room.breaks("only_members_message", "post_message", **one, **inside, text="Late")
        assert "archived" in room.refuses("pin_message", message_id="MSG-0001")
        room.do("reopen_channel", **one)
        assert "is still in" in room.refuses("deactivate_colleague", **inside)
        room.do("remove_colleague_from_channel", **one, **inside)
        assert "last member" in room.refuses("remove_colleague_from_channel", **one, colleague_id="COL-0002")


@pytest.mark.parametrize("seed", SEEDS)
def test_authors_edit_their_own_messages_for_a_day_and_three_are_pinned(seed: int) -> None:
    author, other = {"colleague_id": "COL-0001"}, {"colleague_id": "COL-0002"}
    with desk("team-messaging", seed, chat()) as room:
        opened(room)
        for number in range(5):
            room.do("post_message", channel_id="CHN-0001", **author, text=f"Message {number}")
        one = {"message_id": "MSG-0001"}
        room.breaks("own_message_in_time", "edit_message", **one, **other, text="Mine")
        assert room.do("edit_message", **one, **author, text="Better")["edited_at"] == MONDAY
        assert "says so" in room.refuses("edit_message", **one, **author, text="Better")
        for number in (1, 2, 3):
            room.do("pin_message", message_id=f"MSG-000{number}")
        assert "MSG-0003" in room.refuses("pin_message", message_id="MSG-0004")
        assert "pinned" in room.refuses("delete_message", **one, **author)
        room.do("unpin_message", **one)
        room.do("reply_to_message", **one, **other, text="Yes")
        assert "MSG-0006" in room.refuses("delete_message", **one, **author)
        room.do("mark_channel_read", channel_id="CHN-0001", **other)
        room.do("delete_message", message_id="MSG-0006", **other)
        assert room.record("memberships", "MBR-0002")["read_up_to_message_id"] == "MSG-0005"
        room.set_clock("2025-06-17T09:01")
        room.breaks("own_message_in_time", "delete_message", **one, **author)

"""The cache of replies, with real threads and real processes that are killed."""

import os
import random
import signal
import sqlite3
import stat
import subprocess
import sys
import threading
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from schemas.errors import HomeNotWritable, MachineryError
from tasks.authors.llm.cache import NoCache, ReplyCache, StoredReply

ROOT = Path(__file__).parents[3]
NOW = datetime(2026, 3, 1, tzinfo=UTC)
REPLY = StoredReply("a reply", "stop", None, 11, 7, None, 3, "json_schema")

PRELUDE = """
import os, signal, sys, time
from pathlib import Path
from tasks.authors.llm.cache import ReplyCache, StoredReply

def reply(text):
    return StoredReply(text, "stop", None, 1, 2, None, None, "text")

cache = ReplyCache(Path(sys.argv[1]))
"""


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "home" / "replies.sqlite"


@contextmanager
def process(script: str, *arguments: object) -> Iterator[subprocess.Popen[str]]:
    """A Python process with a cache; killed at the end, if it is still there."""
    command = [sys.executable, "-c", PRELUDE + script, *map(str, arguments)]
    with subprocess.Popen(command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as running:
        try:
            yield running
        finally:
            running.kill()


def says(running: subprocess.Popen[str]) -> str:
    assert running.stdout is not None
    return running.stdout.readline().strip()


def kept(cache: ReplyCache, key: str) -> StoredReply | None:
    with cache.claim(key) as claim:
        return claim.reply


def keep(cache: ReplyCache, key: str, reply: StoredReply = REPLY) -> None:
    with cache.claim(key) as claim:
        claim.keep(reply)


@contextmanager
def claiming(cache: ReplyCache, key: str) -> Iterator[threading.Event]:
    """Another thread that claims the key and lets go; the event says when it had it."""
    had = threading.Event()

    def wait() -> None:
        kept(cache, key)
        had.set()

    thread = threading.Thread(target=wait, daemon=True)
    thread.start()
    yield had
    thread.join(timeout=30)
    assert had.is_set()


def test_what_was_kept_is_found_by_the_next_cache_of_the_same_file(path: Path) -> None:
    odd = replace(
        REPLY, text="\x00 line\nbreak \ud800 half a pair, 雪", finish_reason=None, refusal="no", input_tokens=None
    )
    keep(ReplyCache(path), "one", odd)
    keep(ReplyCache(path), "two")

    assert kept(ReplyCache(path), "one") == odd
    assert kept(ReplyCache(path), "two") == REPLY
    assert kept(ReplyCache(path), "three") is None


def test_of_several_replies_to_one_claim_the_last_is_kept(path: Path) -> None:
    cache = ReplyCache(path)
    with cache.claim("key") as claim:
        claim.keep(REPLY)
        claim.keep(replace(REPLY, text="with more room"))

    found = kept(cache, "key")
    assert found is not None
    assert found.text == "with more room"


def test_nothing_can_be_kept_outside_of_a_claim_or_over_what_was_found(path: Path) -> None:
    cache = ReplyCache(path)
    with cache.claim("key") as over:
        pass
    with pytest.raises(RuntimeError, match="held"):
        over.keep(REPLY)
    keep(cache, "key")
    with cache.claim("key") as answered, pytest.raises(RuntimeError, match="no reply"):
        answered.keep(REPLY)


def test_eight_threads_that_want_the_same_200_keys_ask_once_for_each(path: Path) -> None:
    cache = ReplyCache(path)
    asked: Counter[str] = Counter()
    counting = threading.Lock()

    def work(seed: int) -> dict[str, str]:
        keys = [f"key {number}" for number in range(200)]
        random.Random(seed).shuffle(keys)
        replies = {}
        for key in keys:
            with cache.claim(key) as claim:
                if claim.reply is None:
                    with counting:
                        asked[key] += 1
                    claim.keep(replace(REPLY, text=f"reply to {key}"))
            with cache.claim(key) as claim:
                assert claim.reply is not None
                replies[key] = claim.reply.text
        return replies

    with ThreadPoolExecutor(8) as pool:
        results = list(pool.map(work, range(8)))

    assert len(asked) == 200
    assert set(asked.values()) == {1}
    assert all(result[f"key {number}"] == f"reply to key {number}" for result in results for number in range(200))
    assert list(path.with_name("replies.sqlite.claims").iterdir()) == []


def test_four_processes_that_begin_at_once_on_a_new_file_make_one_call_per_key(path: Path, tmp_path: Path) -> None:
    calls = tmp_path / "calls"
    script = """
sys.stdin.readline()
for key in ("a", "b", "c"):
    with cache.claim(key) as claim:
        if claim.reply is None:
            with open(sys.argv[2], "a") as file:
                file.write(key + "\\n")
            time.sleep(0.05)
            claim.keep(reply(f"{key} by {os.getpid()}"))
    with cache.claim(key) as claim:
        print(claim.reply.text)
"""
    running = []
    for _ in range(4):
        starting = process(script, path, calls)
        running.append((starting, starting.__enter__()))
    for _, each in running:
        assert each.stdin is not None
        each.stdin.write("go\n")
        each.stdin.flush()
    said = [[says(each) for _ in range(3)] for _, each in running]
    for starting, _ in running:
        starting.__exit__(None, None, None)

    assert sorted(calls.read_text().split()) == ["a", "b", "c"]
    assert [text.split()[0] for text in said[0]] == ["a", "b", "c"]
    assert all(each == said[0] for each in said)


def test_a_process_that_is_killed_while_it_asks_leaves_the_key_to_whoever_waits(path: Path) -> None:
    script = """
with cache.claim("key") as claim:
    print("claimed", flush=True)
    time.sleep(600)
"""
    cache = ReplyCache(path)
    with process(script, path) as asking:
        assert says(asking) == "claimed"
        with claiming(cache, "key") as had:
            assert not had.wait(0.1)
            keep(cache, "another key")  # nobody waits for it
            assert not had.is_set()
            asking.kill()
    assert kept(cache, "key") is None
    assert kept(cache, "another key") == REPLY


def test_the_child_of_a_killed_process_does_not_keep_its_claim(path: Path) -> None:
    script = """
with cache.claim("key") as claim:
    child = os.fork()
    if child == 0:
        time.sleep(600)
    print(child, flush=True)
    time.sleep(600)
"""
    cache = ReplyCache(path)
    with process(script, path) as asking:
        child = int(says(asking))
        try:
            with claiming(cache, "key") as had:
                assert not had.wait(0.1)
                asking.kill()
                assert had.wait(30)
            os.kill(child, 0)  # it is still there
        finally:
            os.kill(child, signal.SIGKILL)


def test_a_forked_child_can_claim_and_keep_and_leaves_its_parents_claim_alone(path: Path) -> None:
    script = """
with cache.claim("other"):
    pass
with cache.claim("parent's"):
    child = os.fork()
    if child == 0:
        with cache.claim("child's") as claim:
            claim.keep(reply("kept"))
    else:
        print("child left with", os.waitpid(child, 0)[1], flush=True)
        time.sleep(600)
"""
    cache = ReplyCache(path)
    with process(script, path) as parent:
        assert says(parent) == "child left with 0"
        found = kept(cache, "child's")
        assert found is not None
        with claiming(cache, "parent's") as had:
            assert not had.wait(0.1)
            parent.kill()


def test_a_kept_reply_survives_a_kill_at_any_moment(path: Path) -> None:
    script = """
number = 0
while True:
    key = f"{sys.argv[2]} {number}"
    with cache.claim(key) as claim:
        claim.keep(reply(key * 200))
        print(key, flush=True)
    number += 1
"""
    chance = random.Random(4)
    for round_number in range(4):
        with process(script, path, round_number) as writing:
            told = [says(writing) for _ in range(chance.randrange(5, 60))]
            writing.send_signal(signal.SIGKILL)
            assert writing.stdout is not None
            told += writing.stdout.read().split("\n")[:-1]
        cache = ReplyCache(path)
        for key in told:
            found = kept(cache, key)
            assert found is not None
            assert found.text == key * 200


def test_whoever_waits_asks_when_the_first_failed(path: Path) -> None:
    cache = ReplyCache(path)
    with pytest.raises(ValueError, match="no answer"), cache.claim("key"):
        raise ValueError("no answer")
    with cache.claim("key") as claim:
        assert claim.reply is None
        claim.keep(REPLY)
    assert kept(cache, "key") == REPLY


def test_whoever_waited_for_a_failed_claim_holds_it_against_newcomers(path: Path) -> None:
    cache = ReplyCache(path)
    claimed, leave = threading.Event(), threading.Event()

    def ask() -> None:
        with cache.claim("key"):
            claimed.set()
            leave.wait(30)

    waiting = threading.Thread(target=ask)
    with cache.claim("key"):
        waiting.start()
        assert not claimed.wait(0.05)
    assert claimed.wait(30)
    with claiming(cache, "key") as had:
        assert not had.wait(0.05)
        leave.set()
    waiting.join(timeout=30)


def test_a_thread_that_claims_what_it_holds_is_told_instead_of_waiting_for_itself(path: Path) -> None:
    cache = ReplyCache(path)
    with cache.claim("key"), pytest.raises(RuntimeError, match="this very thread"), cache.claim("key"):
        pass
    keep(cache, "key")


def test_modes_are_remembered_per_endpoint_and_model_across_caches(path: Path) -> None:
    modes = ReplyCache(path).modes
    assert modes.get("http://a/v1", "m", now=NOW) is None
    modes.remember("http://a/v1", "m", frozenset({"tool", "json_schema"}), now=NOW)
    modes.remember("http://a/v1", "n", frozenset(), now=NOW)

    again = ReplyCache(path).modes
    assert again.get("http://a/v1", "m", now=NOW) == {"tool", "json_schema"}
    assert again.get("http://a/v1", "n", now=NOW) == frozenset()
    assert again.get("http://b/v1", "m", now=NOW) is None
    again.remember("http://a/v1", "m", frozenset({"tool"}), now=NOW)
    assert modes.get("http://a/v1", "m", now=NOW) == {"tool"}


def test_modes_are_tried_again_after_a_week_and_where_nobody_wrote_down_when_they_were_learned(path: Path) -> None:
    modes = ReplyCache(path).modes
    modes.remember("http://a/v1", "m", frozenset({"tool"}), now=NOW)
    assert modes.get("http://a/v1", "m", now=NOW + timedelta(days=7)) == {"tool"}
    assert modes.get("http://a/v1", "m", now=NOW + timedelta(days=7, seconds=1)) is None
    modes.remember("http://a/v1", "m", frozenset(), now=NOW + timedelta(days=8))
    assert modes.get("http://a/v1", "m", now=NOW + timedelta(days=14)) == frozenset()

    with closing(sqlite3.connect(path)) as file, file:
        file.execute("UPDATE refused_modes SET modes = '[\"tool\"]'")
    assert ReplyCache(path).modes.get("http://a/v1", "m", now=NOW) is None


def test_the_files_are_for_their_owner_alone_and_hold_no_address(path: Path) -> None:
    before = os.umask(0)
    try:
        cache = ReplyCache(path)
        cache.modes.remember("https://someone:hunter2@host/v1", "m", frozenset({"tool"}), now=NOW)
        with cache.claim("key") as claim:
            claim.keep(REPLY)
            files = [file for file in path.parent.rglob("*") if file.is_file()]
            modes = {file.name: stat.S_IMODE(file.stat().st_mode) for file in files}
            contents = [file.read_bytes() for file in files]
    finally:
        os.umask(before)

    assert {"replies.sqlite", "replies.sqlite-wal", "replies.sqlite-shm"} < set(modes)
    assert set(modes.values()) == {0o600}
    assert not any(word in content for content in contents for word in (b"hunter2", b"host"))


@pytest.mark.parametrize("broken", ["header", "pages", "empty", "foreign", "reply"])
def test_a_broken_file_is_named_with_what_to_do(path: Path, broken: str) -> None:
    cache = ReplyCache(path)
    for number in range(50):
        keep(cache, f"key {number}", replace(REPLY, text="x" * 500))
    del cache  # closes the file, with all of its log in it
    content = path.read_bytes()
    match broken:
        case "header":
            path.write_bytes(b"\x00garbage" * 64 + content[512:])
        case "pages":
            path.write_bytes(content[:4096] + b"\xff" * (len(content) - 4096))
        case "empty":
            path.write_bytes(b"")
        case "foreign":
            path.unlink()
            other = sqlite3.connect(path)
            other.execute("CREATE TABLE mine (n)")
            other.close()
        case "reply":
            other = sqlite3.connect(path)
            other.execute("UPDATE replies SET reply = 'x'")
            other.commit()
            other.close()

    with pytest.raises(MachineryError, match="Delete") as raised, ReplyCache(path).claim("key 7"):
        pass

    assert not isinstance(raised.value, HomeNotWritable)
    assert f"Delete {path} " in str(raised.value)
    path.unlink()
    assert kept(ReplyCache(path), "key 7") is None


def test_the_log_of_a_deleted_file_does_not_come_back_to_life(path: Path) -> None:
    script = """
with cache.claim("key") as claim:
    claim.keep(reply("old"))
    print("kept", flush=True)
    time.sleep(600)
"""
    with process(script, path) as writing:
        assert says(writing) == "kept"
    assert path.with_name("replies.sqlite-wal").stat().st_size > 0
    path.unlink()

    assert kept(ReplyCache(path), "key") is None
    keep(ReplyCache(path), "key")
    assert kept(ReplyCache(path), "key") == REPLY


def test_a_full_disk_is_told_as_one(path: Path) -> None:
    script = """
import resource
from schemas.errors import HomeNotWritable
with cache.claim("small") as claim:
    claim.keep(reply("x"))
resource.setrlimit(resource.RLIMIT_FSIZE, (200_000, 200_000))
try:
    with cache.claim("large") as claim:
        claim.keep(reply("x" * 400_000))
except HomeNotWritable as error:
    print(error)
with cache.claim("small") as claim:
    print(claim.reply.text)
"""
    with process(script, path) as writing:
        told, found = says(writing), says(writing)

    assert str(path) in told
    assert "Make room" in told
    assert found == "x"
    assert kept(ReplyCache(path), "large") is None


def test_a_home_that_can_not_be_written_is_told_before_anything_is_asked(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(HomeNotWritable, match="--home"), ReplyCache(tmp_path / "file" / "replies.sqlite").claim("key"):
        pytest.fail("nothing may be asked")


def test_no_cache_keeps_nothing_and_makes_nobody_wait() -> None:
    cache = NoCache()
    with cache.claim("key") as claim, cache.claim("key") as other:
        claim.keep(REPLY)
        assert other.reply is None
    with cache.claim("key") as claim:
        assert claim.reply is None
    cache.modes.remember("http://a/v1", "m", frozenset({"tool"}), now=NOW)
    assert cache.modes.get("http://a/v1", "m", now=NOW) == {"tool"}

"""Nothing is left of sessions, however they ended."""

from tests.benchmarks.sandbox_leaks import run_sessions


def test_sessions_that_end_in_every_way_leave_no_process_and_no_file() -> None:
    remains = run_sessions(300)

    assert set(remains.endings) == {
        "fine", "lost", "class_missing", "syntax_error", "import_refused", "load_error", "init_error",
        "error_of_the_host", "exit", "crash", "protocol", "output", "wall", "cpu",
    }  # fmt: skip
    assert (remains.late.zygotes, remains.late.sessions) == (2, 0)
    assert (remains.late.files, remains.late.zygote_files) == (remains.early.files, remains.early.zygote_files)
    assert (remains.closed.zygotes, remains.closed.sessions) == (0, 0)
    assert remains.closed.files < remains.early.files

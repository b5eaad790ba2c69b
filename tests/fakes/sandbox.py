"""One sandbox for all tests of a process: its zygote is started once."""

from tasks.sandbox.zygote import ZygoteSandbox

SANDBOX = ZygoteSandbox()

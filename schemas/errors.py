"""One error tree, by what the caller should do.

    EnvmillError
      UsageError            fix the command: what was typed or configured can't work            (exit code 2)
        UnreadableCorpus    a corpus file is missing, empty, binary, wrongly encoded or has no task column
        NothingToDo         no task survived the filter
      MachineryError        fix the machine: disk, server, sandbox                              (exit code 1)
        HomeNotWritable     the home folder is full or can't be written
        DamagedWarehouse    a file of the warehouse can't be read
        SandboxUnavailable  the sandbox itself could not start or died
        ServerUnavailable   no Prefect server could be reached or started
      PromptError           fix the prompt file, or the code that fills it in                   (exit code 1)
      AuthorUnavailable     the author could not answer; waiting or another endpoint may help   (exit code 1)
        BudgetExhausted     the run may not ask any more; a larger budget helps
      GateRefused           the batch breaks the contract of a table; nothing was published     (exit code 3)

Bad output of an author is none of these: it is a row with a reason code.
Every message names the item and says what to do next.
"""


class EnvmillError(Exception):
    """Root of everything that is reported to a person without a traceback."""

    exit_code = 1
    reason = "machinery"
    """Reason code of an item that it ended."""


class UsageError(EnvmillError):
    """What was typed or configured can't work."""

    exit_code = 2


class UnreadableCorpus(UsageError):
    """A corpus file can't be read as task texts."""


class NothingToDo(UsageError):
    """No item is left to work on."""


class MachineryError(EnvmillError):
    """Something that the factory stands on is broken."""


class HomeNotWritable(MachineryError):
    """The home folder is full or can't be written."""


class DamagedWarehouse(MachineryError):
    """A file of the warehouse is there and can't be read."""


class SandboxUnavailable(MachineryError):
    """The sandbox itself could not start or died; the code inside it is not to blame."""

    reason = "sandbox_unavailable"


class ServerUnavailable(MachineryError):
    """No Prefect server could be reached or started."""


class PromptError(EnvmillError):
    """A prompt file is missing or malformed, or what is filled in is not what it declares."""


class AuthorUnavailable(EnvmillError):
    """The author could not answer."""

    reason = "author_unavailable"


class BudgetExhausted(AuthorUnavailable):
    """The budget of the run allows no further call."""

    reason = "budget_exhausted"


class GateRefused(EnvmillError):
    """A batch breaks the contract of a table. Carries the folder that the batch was moved to."""

    exit_code = 3

    def __init__(self, message: str, *, quarantine: str) -> None:
        super().__init__(message)
        self.quarantine = quarantine

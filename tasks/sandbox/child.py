"""Entry of the process that runs untrusted code. Started by path: `child.py ROOT FD`.

ROOT is the folder that holds our packages, FD the connection to the host. Nothing else comes in: no site packages, no
environment variables, no other open file.
"""

import os
import sys

CONNECTION = 3


def main() -> None:
    """Load everything that is needed, then answer the host until it hangs up."""
    root, connection = sys.argv[1], int(sys.argv[2])
    if connection != CONNECTION:
        os.dup2(connection, CONNECTION, inheritable=False)
        os.close(connection)
    sys.path.insert(0, root)
    from tasks.sandbox.inside.loop import serve

    serve(CONNECTION)


if __name__ == "__main__":
    main()

"""Entry of the zygote. Started by path: `boot.py ROOT FD`.

ROOT is the folder that holds our packages, FD the connection to the host. Nothing else comes in: no site packages, no
environment variables, no other open file.
"""

import os
import sys

CONNECTION = 3


def main() -> None:
    """Load everything that is needed, then fork sessions until the host hangs up."""
    root, connection = sys.argv[1], int(sys.argv[2])
    if connection != CONNECTION:
        os.dup2(connection, CONNECTION, inheritable=False)
        os.close(connection)
    sys.path.insert(0, root)
    from tasks.sandbox.inside.zygote import serve

    serve(CONNECTION)


if __name__ == "__main__":
    main()

"""``python -m assistant.cli``: the same as the ``fencepost`` command."""

from assistant.cli.main import main

main()

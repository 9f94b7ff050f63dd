"""``python -m assistant.cli``: the same as the ``fencepost`` command."""

from assistant.cli.front import main

main()

"""A real model server, run as a child: ``python -m tests.real_model.server FILE.gguf KEY``.

Prints its address, and ends when its standard input does, so that it never outlives its parent.
"""

from __future__ import annotations

import sys

import xllamacpp

CONTEXT = 4_096


def main(model: str, key: str) -> None:
    params = xllamacpp.CommonParams()
    params.model.path = model
    params.port = 0
    params.n_ctx = CONTEXT
    params.n_parallel = 1
    params.cpuparams.n_threads = 2
    params.verbosity = 0
    params.offline = True
    params.ui = False
    params.api_keys = [key]
    server = xllamacpp.Server(params)
    print(server.listening_address, flush=True)
    sys.stdin.read()


if __name__ == "__main__":
    main(*sys.argv[1:])

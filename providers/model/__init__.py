"""The model: any server that speaks the OpenAI API for chat completions.

Asking is no side effect, so an adapter may repeat a request, in small bounds, where the server
provably did nothing for the first one.
"""

"""Asks a model one small question, to see whether server, key, name and schema work together.

For ``fencepost check``. Nothing of anybody's mail is in the question. It costs a hundred tokens or
so, which are not booked: a check runs beside the daemon and writes nothing.
"""

from __future__ import annotations

from typing import Final

from assistant.house import Brain
from providers.model_port import ModelError, ModelRequest, Prompt, Role
from providers.ports import Json

TIMEOUT_S: Final = 60.0
_SCHEMA: Final[Json] = {
    "type": "object",
    "properties": {"color": {"type": "string", "enum": ["red", "blue"]}},
    "required": ["color"],
    "additionalProperties": False,
}


async def problem_of(brain: Brain, model: str) -> str | None:
    """What keeps *model* from being used, with what to do about it; None when it works."""
    request = ModelRequest(
        model=model,
        prompts=(
            Prompt(role=Role.SYSTEM, text="You answer with one JSON object."),
            Prompt(role=Role.USER, text="Is the sky red or blue? Answer under the key color."),
        ),
        schema_name="color",
        schema=_SCHEMA,
        max_output_tokens=200,
        timeout_s=TIMEOUT_S,
    )
    try:
        answer = await brain.model.ask(request)
    except ModelError as error:
        return str(error)
    if answer.value.get("color") not in ("red", "blue"):
        return "it does not keep to a JSON schema: use a model or a server that does"
    if answer.usage is None:
        return "it does not say what a call costs, so every call is booked at its upper bound"
    return None

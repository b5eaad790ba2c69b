"""How a foreign class is to be used."""

from typing import Any

from pydantic import BaseModel, ConfigDict, Field

ATTRIBUTES = "attributes"
CONSTRUCTOR = "constructor"
ARGUMENT = "argument"
LOADS = (ATTRIBUTES, CONSTRUCTOR, ARGUMENT)
"""Ways of loading a state that are no method of the class."""
DUMPS = (ATTRIBUTES,)


class AdapterOptions(BaseModel):
    """How a foreign class is to be used. What is left out is guessed from the class."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    tools: tuple[str, ...] | None = Field(default=None, description="Methods that are tools; null for all public ones.")
    load: str | None = Field(
        default=None,
        description="How a state gets in: 'attributes' sets one attribute per key, 'constructor' hands keys that are "
        "its parameters to the constructor, 'argument' hands it the whole state; else a method that takes it.",
    )
    dump: str = Field(default=ATTRIBUTES, description="'attributes', or the name of a method that returns the state.")
    arguments: dict[str, Any] = Field(default_factory=dict, description="Arguments that the constructor always gets.")
    exceptions: tuple[str, ...] = Field(default=(), description="Exceptions that are refusals, whoever raises them.")
    error_keys: tuple[str, ...] = Field(
        default=("error",), description="A returned object with one of these keys, not empty, is a refusal."
    )
    error_prefixes: tuple[str, ...] = Field(
        default=("Error:", "error:"), description="A returned text that begins so is a refusal."
    )

"""One spelling per text: what two texts must share to be the same text."""

import re
import unicodedata

_CONTROLS = re.compile(r"[\x00-\x08\x0e-\x1b\x7f-\x84\x86-\x9f]")
_INVISIBLE = re.compile("[\u00ad\u200b\u200e\u200f\u202a-\u202e\u2060-\u2064\u2066-\u206f\ufeff\ufff9-\ufffb]")
_JOINERS = "\u200c\u200d\ufe0e\ufe0f"


def normalise(text: str) -> str:
    """NFC, runs of blanks and line ends as one blank, no control or invisible formatting characters.

    Joiners inside a text stay (Persian, Indic scripts and emoji need them). A text of nothing visible becomes "".
    """
    composed = unicodedata.normalize("NFC", text)
    visible = _INVISIBLE.sub("", _CONTROLS.sub("", composed))
    folded = " ".join(visible.split())
    return folded if folded.strip(_JOINERS + " ") else ""


def has_lone_surrogate(text: str) -> bool:
    r"""Whether the text holds half a character (JSON allows "\ud800"), which no file or index can store."""
    return any("\ud800" <= character <= "\udfff" for character in text)

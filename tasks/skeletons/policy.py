"""The rules of an environment as text for the agent that works in it."""

from schemas.logic_models import LogicModel


def policy_text(model: LogicModel) -> str:
    """A Markdown list of all rules; those that only the agent can obey come first, under their own heading."""
    own = [rule.text.strip() for rule in model.rules if rule.kind == "policy"]
    enforced = [rule.text.strip() for rule in model.rules if rule.kind != "policy"]
    sections = [f"# {model.title}", model.summary.strip()]
    if own:
        sections.append("## What you must observe\n\nNo tool checks these rules; you do.")
        sections.append(_bullets(own))
    if enforced:
        sections.append("## What the tools enforce\n\nA call that breaks one of these rules is refused.")
        sections.append(_bullets(enforced))
    return "\n\n".join(sections) + "\n"


def _bullets(texts: list[str]) -> str:
    return "\n".join(f"- {' '.join(text.split())}" for text in texts)

"""What a theme says of its grants."""

from dataclasses import dataclass

from tasks.authors.rules.nouns import Noun


@dataclass(frozen=True)
class Grants:
    """Access of one kind of people to one kind of thing."""

    grant: Noun
    who: Noun
    """Who gets it: a registry."""
    target: Noun
    """What it is for."""
    most_days: dict[str, int]
    """Level -> days for which it may be given, lowest level first; the higher the level, the fewer days."""
    give: str = "grant"
    level: str = "level"
    """Name of the attribute with the level."""
    preposition: str = "to"
    """Word between a grant and its target: a permission "to", a permit "for"."""
    owner: str = ""
    """Attribute of the target with its owner, who needs no grant; empty when there is none."""
    most_per_target: int = 6
    """Most grants in force for one target."""
    active_who: str = "active"
    active_target: str = "active"
    """Status of a target for which something may be given; empty when targets have no status."""
    target_retires: bool = False
    """Whether the target is a registry, which keeps it in use while a grant for it is in force."""

    @property
    def levels(self) -> tuple[str, ...]:
        """All levels, lowest first."""
        return tuple(self.most_days)

    @property
    def days_setting(self) -> str:
        """Name of the setting with the days of each level."""
        return f"{self.grant.one}_days"

    @property
    def limit(self) -> str:
        """Name of the setting with the most grants for one target."""
        return f"most_{self.grant.many}_per_{self.target.one}"

    def tool(self, verb: str) -> str:
        """Name of a tool: "revoke" -> "revoke_permission"."""
        return f"{verb}_{self.grant.one}"

"""Names of people, made up."""

from random import Random

from faker import Faker

from tasks.authors.rules.spoken import pick


def person_name(rng: Random, taken: list[str]) -> str:
    """A full name. Every third shares its family name with one earlier person, so that look-ups have to look."""
    fake = Faker("en_GB")
    fake.seed_instance(rng.randrange(2**32))
    families = [name.split()[-1] for name in taken]
    single = [family for family in families if families.count(family) == 1]
    family = pick(rng, single) if single and rng.random() < 0.34 else fake.last_name()
    return f"{fake.first_name()} {family}"

"""What people said of an environment or a scenario."""

from flows.stories.page import Page


def tell_reviews(page: Page, item_id: str) -> bool:
    """Every verdict, the latest first; nothing where nobody gave one."""
    found = page.ask(
        "select reviews.*, releases.number as release, strftime(reviews.\"at\", '%Y-%m-%d %H:%M') as said_at "
        "from raw.reviews left join raw.releases using (release_id) "
        'where item_id = ? order by reviews."at" desc, review_id',
        item_id,
    )
    if found:
        page.heading("What people said")
        page.rows(found, "reviewer", "verdict", "note", "said_at", "release", "evaluation")
    return bool(found)

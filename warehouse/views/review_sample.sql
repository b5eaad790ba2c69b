-- One row per item drawn for review from the current release: of each kind, domain, author and fate 1 in 20, at least 1.
select * exclude (is_sampled, is_withdrawn)
from main.review_items
where is_sampled
order by kind, slug, item_id

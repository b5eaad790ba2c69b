-- One row per kind and author, a null meaning all of them: how often people and the evaluation say the same.
with verdicts as (
    select
        kind,
        author,
        is_sampled,
        verdict = 'accepted' as person_accepts,
        evaluation = 'accepted' as evaluation_accepts
    from raw.standing_reviews
    where evaluation in ('accepted', 'rejected')
),

counts as (
    select
        kind,
        author,
        count(*) as reviews,
        count(*) filter (where person_accepts and evaluation_accepts) as both_accept,
        count(*) filter (where not person_accepts and not evaluation_accepts) as both_reject,
        count(*) filter (where not person_accepts and evaluation_accepts) as only_person_rejects,
        count(*) filter (where person_accepts and not evaluation_accepts) as only_evaluation_rejects,
        count(*) filter (where is_sampled) as sampled_reviews,
        count(*) filter (where is_sampled and person_accepts = evaluation_accepts) as sampled_agreeing
    from verdicts
    group by cube (kind, author)
    having count(*) > 0
),

-- Agreement by chance, times the square of the number of reviews.
chances as (
    select
        *,
        (both_accept + only_person_rejects) * (both_accept + only_evaluation_rejects)
        + (both_reject + only_evaluation_rejects) * (both_reject + only_person_rejects) as chance
    from counts
)

select
    kind,
    author,
    reviews,
    both_accept,
    both_reject,
    only_person_rejects,
    only_evaluation_rejects,
    (both_accept + both_reject) / reviews as agreement,
    -- Cohen's kappa; null where chance alone would make them agree always.
    (reviews * (both_accept + both_reject) - chance) / nullif(reviews * reviews - chance, 0) as kappa,
    sampled_reviews,
    sampled_agreeing / nullif(sampled_reviews, 0) as sampled_agreement
from chances
order by kind nulls first, author nulls first

-- One row per environment version and scenario of the current release that was accepted or rejected: people's verdicts.
with items as (
    select
        skeleton_id as item_id,
        'environment' as kind,
        skeletons.slug,
        skeletons.title as label,
        skeletons.topic_id,
        skeletons.author,
        skeletons.status,
        skeletons.reason
    from raw.skeletons
    union all
    select
        scenarios.scenario_id,
        'scenario',
        skeletons.slug,
        scenarios.task,
        skeletons.topic_id,
        scenarios.author,
        scenarios.status,
        scenarios.reason
    from raw.scenarios
    left join raw.skeletons on skeletons.skeleton_id = scenarios.skeleton_id
),

-- What a person withdrew, the evaluation had accepted.
evaluated as (
    select
        current_release.release_id,
        items.*,
        topics.domain,
        items.reason is not distinct from 'rejected_by_person' as is_withdrawn,
        case when is_withdrawn then 'accepted' else items.status end as evaluation,
        case when not is_withdrawn then items.reason end as evaluation_reason
    from items
    cross join raw.current_release
    left join raw.topics on topics.topic_id = items.topic_id
    where items.status in ('accepted', 'rejected')
),

-- The digest makes a draw that everybody can repeat, and another one for each release.
drawn as (
    select
        *,
        count(*) over stratum as stratum_size,
        row_number() over (stratum order by md5(release_id || item_id), item_id) as place
    from evaluated
    window stratum as (partition by kind, domain, author, evaluation, is_withdrawn)
),

verdicts as (
    select
        item_id,
        list(reviewer order by reviewer) filter (where verdict = 'accepted') as accepted_by,
        list(reviewer order by reviewer) filter (where verdict = 'rejected') as rejected_by
    from raw.standing_reviews
    group by item_id
)

select
    drawn.release_id,
    drawn.item_id,
    drawn.kind,
    drawn.slug,
    drawn.label,
    drawn.domain,
    drawn.author,
    drawn.evaluation,
    drawn.evaluation_reason,
    drawn.is_withdrawn,
    drawn.stratum_size,
    not drawn.is_withdrawn and drawn.place <= ceil(drawn.stratum_size / 20) as is_sampled,
    coalesce(verdicts.accepted_by, []) as accepted_by,
    coalesce(verdicts.rejected_by, []) as rejected_by,
    verdicts.item_id is null as is_open
from drawn
left join verdicts on verdicts.item_id = drawn.item_id
order by drawn.kind, drawn.slug, drawn.item_id

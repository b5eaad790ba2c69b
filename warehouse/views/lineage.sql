-- One row per scenario, accepted or not, and seed task that supports its topic; a given topic has null seed columns.
select
    scenarios.scenario_id,
    scenarios.status,
    scenarios.initial_state_id,
    scenarios.skeleton_id,
    skeletons.slug,
    skeletons.logic_model_id,
    skeletons.topic_id,
    topics.title as topic_title,
    topics.origin as topic_origin,
    seed_tasks.seed_task_id,
    seed_tasks.corpus,
    seed_tasks.source,
    seed_tasks.source_id,
    seed_tasks.line,
    seed_tasks.text as seed_text,
    seed_tasks.status = 'duplicate' as is_duplicate_seed,
    scenarios.author,
    current_release.release_id
from raw.scenarios
cross join raw.current_release
left join raw.skeletons on skeletons.skeleton_id = scenarios.skeleton_id
left join raw.topics on topics.topic_id = skeletons.topic_id
left join raw.seed_tasks on seed_tasks.topic_id = skeletons.topic_id
order by scenarios.scenario_id, seed_tasks.corpus, seed_tasks.line, seed_tasks.seed_task_id

-- One row per accepted environment of the current release.
with scenario_counts as (
    select
        skeleton_id,
        count(*) filter (where status = 'accepted') as scenario_count,
        count(*) filter (where status = 'rejected') as rejected_scenario_count,
        avg(reference_length) filter (where status = 'accepted') as mean_reference_length
    from raw.scenarios
    group by skeleton_id
),

difficulties as (
    select
        skeleton_id,
        avg(difficulty) as mean_difficulty,
        avg(random_pass_rate) as random_pass_rate,
        avg(greedy_pass_rate) as greedy_pass_rate,
        avg(noisy_pass_rate) as noisy_pass_rate,
        avg(model_pass_rate) as model_pass_rate
    from main.difficulty
    group by skeleton_id
)

select
    skeletons.environment_id,
    skeletons.slug,
    skeletons.title,
    topics.domain,
    topics.split,
    skeletons.class_name,
    skeletons.skeleton_id,
    skeletons.tool_count,
    skeletons.query_count,
    skeletons.state_change_count,
    skeletons.entity_count,
    skeletons.rule_count,
    skeletons.line_count,
    coalesce(scenario_counts.scenario_count, 0) as scenario_count,
    scenario_counts.mean_reference_length,
    round(difficulties.mean_difficulty, 4) as mean_difficulty,
    difficulties.random_pass_rate,
    difficulties.greedy_pass_rate,
    difficulties.noisy_pass_rate,
    difficulties.model_pass_rate,
    coalesce(scenario_counts.rejected_scenario_count, 0) as rejected_scenario_count,
    skeletons.author,
    skeleton_validations.sandbox,
    topics.seed_task_count,
    skeletons.structure
from raw.skeletons
left join raw.topics on topics.topic_id = skeletons.topic_id
left join raw.skeleton_validations on skeleton_validations.skeleton_id = skeletons.skeleton_id
left join scenario_counts on scenario_counts.skeleton_id = skeletons.skeleton_id
left join difficulties on difficulties.skeleton_id = skeletons.skeleton_id
where skeletons.status = 'accepted'
order by skeletons.slug, skeletons.skeleton_id

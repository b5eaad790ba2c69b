-- One row per published scenario: accepted, with an executed proof.
with check_counts as (
    select
        scenario_id,
        count(*) filter (where kind = 'goal') as goal_count,
        count(*) filter (where kind = 'guard') as guard_count,
        count(*) filter (where kind = 'answer') as answer_count,
        count(*) filter (where kind = 'procedure') as procedure_count
    from raw.checks
    group by scenario_id
),

trial_counts as (
    select scenario_id, count(*) as trial_count
    from raw.scenario_validations
    group by scenario_id
)

select
    scenarios.scenario_id,
    skeletons.slug,
    skeletons.title,
    topics.domain,
    topics.split,
    scenarios.kind,
    scenarios.task,
    scenarios.reference_length,
    scenarios.write_count,
    difficulty.difficulty,
    difficulty.distinct_tool_count,
    difficulty.entity_count,
    difficulty.random_pass_rate,
    difficulty.greedy_pass_rate,
    difficulty.noisy_pass_rate,
    difficulty.model_pass_rate,
    coalesce(check_counts.goal_count, 0) as goal_count,
    coalesce(check_counts.guard_count, 0) as guard_count,
    coalesce(check_counts.answer_count, 0) as answer_count,
    coalesce(check_counts.procedure_count, 0) as procedure_count,
    coalesce(trial_counts.trial_count, 0) as trial_count,
    scenarios.author,
    scenarios.sandbox,
    scenarios.skeleton_id,
    scenarios.initial_state_id
from raw.scenarios
left join raw.skeletons on skeletons.skeleton_id = scenarios.skeleton_id
left join raw.topics on topics.topic_id = skeletons.topic_id
left join check_counts on check_counts.scenario_id = scenarios.scenario_id
left join trial_counts on trial_counts.scenario_id = scenarios.scenario_id
left join main.difficulty on difficulty.scenario_id = scenarios.scenario_id
where scenarios.status = 'accepted'
order by skeletons.slug, scenarios.scenario_id

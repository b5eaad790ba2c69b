-- Every rule that a tool of an accepted skeleton enforces has a refused case that breaks it, or it is said why none can.
-- table: tools
with enforced as (
    select distinct tools.skeleton_id, unnest(tools.enforces) as rule_id
    from tools
    join skeletons on skeletons.skeleton_id = tools.skeleton_id
    where skeletons.status = 'accepted' and skeletons.author <> 'import'
)

select enforced.skeleton_id, enforced.rule_id
from enforced
left join skeleton_validations on skeleton_validations.skeleton_id = enforced.skeleton_id
where
    not exists (
        from tool_tests
        where
            tool_tests.skeleton_id = enforced.skeleton_id
            and tool_tests.rule_id = enforced.rule_id
            and tool_tests.is_passed
            and tool_tests.outcome = 'refusal'
    )
    and not coalesce(
        list_contains(json_keys(skeleton_validations.rules_untested_json), enforced.rule_id), false
    )

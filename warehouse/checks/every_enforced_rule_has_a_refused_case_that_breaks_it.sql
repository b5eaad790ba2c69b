-- Every rule that a tool of an accepted skeleton enforces has a case that such a tool refused for breaking it.
-- table: tools

-- Of a rule over whole states it may be said why no call can break it; a precondition can always be missed.
-- For imported environments nobody has written test cases.
with enforced as (
    select tools.skeleton_id, skeletons.logic_model_id, tools.name as tool, unnest(tools.enforces) as rule_id
    from tools
    join skeletons on skeletons.skeleton_id = tools.skeleton_id
    where skeletons.status = 'accepted' and skeletons.author <> 'import'
),

-- The model of a rejected topic need not be JSON.
rules as (
    select logic_model_id, unnest(from_json(model_json -> 'rules', '[{"id": "VARCHAR", "kind": "VARCHAR"}]')) as rule
    from (
        select logic_model_id, case when json_valid(model_json) then model_json::json end as model_json
        from logic_models
    ) as models
),

tested as (
    select distinct tool_tests.skeleton_id, tool_tests.rule_id
    from tool_tests
    join enforced
        on enforced.skeleton_id = tool_tests.skeleton_id
        and enforced.tool = tool_tests.tool
        and enforced.rule_id = tool_tests.rule_id
    where tool_tests.is_passed and tool_tests.outcome = 'refusal'
)

select distinct enforced.skeleton_id, enforced.rule_id, rules.rule.kind as kind
from enforced
left join rules on rules.logic_model_id = enforced.logic_model_id and rules.rule.id = enforced.rule_id
left join tested on tested.skeleton_id = enforced.skeleton_id and tested.rule_id = enforced.rule_id
left join skeleton_validations on skeleton_validations.skeleton_id = enforced.skeleton_id
where
    tested.rule_id is null
    and (
        rules.rule.kind is null
        or rules.rule.kind = 'precondition'
        or json_extract_string(skeleton_validations.rules_untested_json, enforced.rule_id) is null
    )

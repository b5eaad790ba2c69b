-- Every tool of an accepted skeleton has a case that succeeded as expected, and two that were refused as expected.
-- table: tools

-- Imported environments are not exempt. A version before a repair is another skeleton, and its cases count for nothing.
select
    tools.skeleton_id,
    tools.name,
    count(*) filter (where tool_tests.expected = 'success') as positive_cases,
    count(*) filter (where tool_tests.expected = 'refusal') as negative_cases
from tools
join skeletons on skeletons.skeleton_id = tools.skeleton_id
left join tool_tests
    on tool_tests.skeleton_id = tools.skeleton_id
    and tool_tests.tool = tools.name
    and tool_tests.is_passed
    and tool_tests.outcome = tool_tests.expected
where skeletons.status = 'accepted'
group by all
having positive_cases < 1 or negative_cases < 2

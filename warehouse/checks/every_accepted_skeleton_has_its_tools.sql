-- Every accepted skeleton has at least one tool, and as many queries and state changes as it counts.
-- table: skeletons
select
    skeletons.skeleton_id,
    skeletons.slug,
    skeletons.tool_count,
    count(tools.tool_id) as tools_found,
    count(*) filter (where tools.kind = 'query') as queries_found,
    count(*) filter (where tools.kind = 'state_change') as state_changes_found
from skeletons
left join tools on tools.skeleton_id = skeletons.skeleton_id
where skeletons.status = 'accepted'
group by all
having
    tools_found = 0
    or tools_found <> skeletons.tool_count
    or queries_found <> any_value(skeletons.query_count)
    or state_changes_found <> any_value(skeletons.state_change_count)

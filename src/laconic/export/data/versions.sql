-- Who runs what? Agents, versions of laconic and policies, and what ran unchecked.
SELECT
    agent,
    version,
    policy,
    count(DISTINCT person) AS people,
    count(DISTINCT machine) AS machines,
    sum(CASE WHEN kind = 'decision' THEN 1 ELSE 0 END) AS judged,
    sum(CASE WHEN kind = 'unchecked' THEN 1 ELSE 0 END) AS unchecked,
    max(day) AS last_day
FROM decisions
WHERE kind IN ('decision', 'unchecked')
GROUP BY 1, 2, 3
ORDER BY 1, 2, 3

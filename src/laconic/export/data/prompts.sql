-- How often is a person interrupted? Prompts per 100 decisions, by team and week.
SELECT
    team,
    CAST(date_trunc('week', day) AS DATE) AS week,
    count(*) AS judged,
    sum(CASE WHEN question THEN 1 ELSE 0 END) AS prompts,
    floor(1000.0 * sum(CASE WHEN question THEN 1 ELSE 0 END) / count(*) + 0.5) / 10 AS per_100,
    sum(CASE WHEN would_ask AND outcome = 'allow' THEN 1 ELSE 0 END) AS prompts_spared,
    count(DISTINCT person) AS people
FROM decisions
WHERE kind = 'decision'
GROUP BY 1, 2
ORDER BY 1, 2

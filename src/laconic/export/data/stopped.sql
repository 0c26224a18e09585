-- Which hard effects were stopped? By team and effects: denied, asked, what then ran all the same.
SELECT
    team,
    effects,
    count(*) AS judged,
    sum(CASE WHEN outcome = 'deny' THEN 1 ELSE 0 END) AS denied,
    sum(CASE WHEN question THEN 1 ELSE 0 END) AS asked,
    sum(CASE WHEN question AND followed = 'ran' THEN 1 ELSE 0 END) AS ran_after_asking,
    sum(CASE WHEN question AND followed = 'refused' THEN 1 ELSE 0 END) AS refused,
    sum(CASE WHEN outcome = 'allow' THEN 1 ELSE 0 END) AS allowed
FROM decisions
WHERE kind = 'decision' AND hard
GROUP BY 1, 2
ORDER BY 1, 2

-- What do people approve each time, so that a rule could spare the question?
-- Only what at least five people were asked about; nothing with a hard effect.
SELECT
    rule,
    effects,
    count(*) AS asked,
    sum(CASE WHEN followed = 'ran' THEN 1 ELSE 0 END) AS ran,
    sum(CASE WHEN followed = 'refused' THEN 1 ELSE 0 END) AS refused,
    count(DISTINCT person) AS people,
    count(DISTINCT team) AS teams
FROM decisions
WHERE kind = 'decision' AND question AND NOT hard
GROUP BY 1, 2
HAVING count(DISTINCT person) >= 5
ORDER BY 4 DESC, 3 DESC, 1, 2

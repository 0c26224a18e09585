-- What was saved? Tokens and, where the price of the model is known, dollars, by team and agent.
SELECT
    team,
    agent,
    sum(CASE WHEN kind = 'run' THEN 1 ELSE 0 END) AS runs,
    sum(input_tokens) AS tokens_without,
    sum(output_tokens) AS tokens_with,
    sum(input_tokens) - sum(output_tokens) AS saved,
    sum(saved_microdollars) AS saved_microdollars,
    sum(CASE WHEN kind = 'recall' THEN 1 ELSE 0 END) AS recalls
FROM decisions
WHERE kind IN ('run', 'recall')
GROUP BY 1, 2
ORDER BY 1, 2

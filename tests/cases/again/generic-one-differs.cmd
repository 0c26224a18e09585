./check-plan

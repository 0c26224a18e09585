#!/usr/bin/env bash
# Examines laconic and the project's files of it, and judges $COMMANDS, one per line, by $PROFILE.
# Fails if a verdict is worse than $ACCEPT, which is allow, ask or deny.
set -euo pipefail

case ${ACCEPT:-allow} in
    allow) worst=0 ;;
    ask) worst=10 ;;
    deny) worst=20 ;;
    *) echo "::error::accept is allow, ask or deny, not $ACCEPT" && exit 2 ;;
esac

failed=0
laconic config check || failed=1
laconic doctor || failed=1
while IFS= read -r command; do
    [ -n "${command//[[:space:]]/}" ] || continue
    printf '%s\n' "\$ $command"
    status=0
    laconic check --profile "${PROFILE:-default}" -- "$command" || status=$?
    # laconic check ends with 0, 10 or 20 for allow, ask and deny; anything else is a fault.
    case $status in
        0 | 10 | 20) [ "$status" -le "$worst" ] || failed=1 ;;
        *) failed=1 ;;
    esac
done <<< "${COMMANDS:-}"
exit "$failed"

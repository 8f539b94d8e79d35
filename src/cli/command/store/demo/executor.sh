#!/bin/sh
# Stands in for an executing agent: it does what the plan of planner.sh says, in a worktree of its own.
set -e
cat >/dev/null
sed -i.bak s/forgotten/kept/ cart.sh && rm cart.sh.bak
git commit -qam "Keep the cart when the page is loaded again"
echo '{ "status": "completed", "summary": "The cart survives a reload" }'

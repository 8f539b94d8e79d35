#!/bin/sh
# Stands in for a reviewing agent: a test that passes before the work is done would prove nothing.
cat >/dev/null
if sh test-cart.sh >/dev/null 2>&1; then
    echo '{ "scores": { "technical": 40, "risk": 90, "completeness": 40 }, "findings": ["its test passes already"] }'
else
    echo '{ "scores": { "technical": 95, "risk": 90, "completeness": 90 } }'
fi

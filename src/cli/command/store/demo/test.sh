#!/bin/sh
# A session lasts for a working day: at least eight hours, at most one day.
seconds=$(sh session.sh)
if [ "$seconds" -ge 28800 ] && [ "$seconds" -le 86400 ]; then
    echo "ok: $seconds seconds"
else
    echo "failed: $seconds seconds" >&2
    exit 1
fi

#!/bin/sh
# Shows what a run says on the desktop: git config --global wf.notify "sh $PWD/examples/notify/desktop.sh"
# Needs jq and notify-send (libnotify), or osascript on macOS.
event=$(cat)
title=$(printf '%s' "$event" | jq -r '"git wf: " + .type')
# `quoted` is left out: nobody checked what an agent said.
text=$(printf '%s' "$event" | jq -r .message)
if command -v notify-send >/dev/null; then
    exec notify-send -- "$title" "$text"
fi
exec osascript -e 'on run {title, text}' -e 'display notification text with title title' -e 'end run' "$title" "$text"

#!/bin/sh
# A cart survives a reload.
cart=$(sh cart.sh)
if [ "$cart" = kept ]; then
    echo "ok: $cart"
else
    echo "failed: $cart" >&2
    exit 1
fi

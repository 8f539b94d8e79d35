"""Code that the example agents share: reading a request, writing an answer."""

import json
import sys


class Failed(Exception):
    """Why there is no answer."""


def serve(kinds):
    """Reads the request from stdin and answers with what the function for its kind returns."""
    try:
        request = json.load(sys.stdin)
        kind = request["kind"]
        if kind == "ping":
            answer = {"pong": request["input"]["nonce"]}
        elif kind in kinds:
            answer = kinds[kind](request["input"])
        else:
            raise Failed(f"this agent cannot {kind}")
    except Failed as why:
        print(why, file=sys.stderr)
        return 1
    except (KeyError, TypeError, ValueError) as error:
        print(f"not a request: {error!r}", file=sys.stderr)
        return 2
    json.dump(answer, sys.stdout, indent=2)
    print()
    return 0

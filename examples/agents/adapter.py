#!/usr/bin/env python3
"""Wraps a command that takes a prompt on stdin and writes its answer to stdout.

git config wf.agent.mine.command "examples/agents/adapter.py my-model --quiet"

Builds a prompt in Markdown, with the data after the instructions. If the answer contains no JSON at all, asks again.
"""

import json
import subprocess
import sys


def prompt(request):
    """What a model reads."""
    parts = [request["instructions"]]
    if request.get("faults"):
        parts += ["## Faults of your last answer", *(f"- {fault}" for fault in request["faults"])]
    for title, name in [("Input", "input"), ("Schema of the answer", "answer_schema")]:
        parts += [f"## {title}", f"```json\n{json.dumps(request[name], indent=2)}\n```"]
    return "\n\n".join(parts) + "\n"


def ask(command, text):
    """The answer of the command; its stderr goes where ours goes."""
    done = subprocess.run(command, input=text, stdout=subprocess.PIPE, text=True, check=False)
    if done.returncode != 0:
        sys.exit(done.returncode if done.returncode > 0 else 1)
    return done.stdout


def main():
    """One request."""
    if len(sys.argv) < 2:
        sys.exit("usage: adapter.py COMMAND [ARGUMENT]...")
    request = json.load(sys.stdin)
    if request["kind"] == "ping":
        print(json.dumps({"pong": request["input"]["nonce"]}))
        return
    text = prompt(request)
    answer = ask(sys.argv[1:], text)
    if "{" not in answer:
        answer = ask(sys.argv[1:], f"{text}\nYour last answer held no JSON:\n\n{answer}")
    sys.stdout.write(answer)


if __name__ == "__main__":
    main()

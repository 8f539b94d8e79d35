#!/bin/sh
# Stands in for a planning agent: it reads the question and answers with a plan.
cat >/dev/null
cat <<'PLAN'
{
  "description": "Save the cart when the page is left, and load it again",
  "approach": "One line of cart.sh drops the items; the test that watches them is there already",
  "strategy_type": "bugfix",
  "tasks": [
    {
      "id": "T1",
      "title": "Keep the items of the cart",
      "action": "Modify",
      "scope": "cart.sh",
      "modification_points": [
        { "file": "cart.sh", "target": "reload", "change": "from forgotten to kept" }
      ],
      "implementation": [
        "Set reload to kept in cart.sh",
        "Run the test"
      ],
      "test": { "commands": ["sh test-cart.sh"] },
      "acceptance": {
        "criteria": ["sh cart.sh prints kept"],
        "verification": ["sh test-cart.sh prints ok: kept"]
      },
      "depends_on": [],
      "estimated_minutes": 5,
      "priority": 1
    }
  ],
  "analysis": { "risk": "low", "impact": "medium", "complexity": "low" },
  "score": 0.9
}
PLAN

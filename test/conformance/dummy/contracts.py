"""Runs the contracts of dummy-a2a against the server at a URL, and prints a line of JSON for each: python contracts.py URL PART_OF_IDS"""

import asyncio
import json
import sys

from dummy_a2a.contracts import a2a_contracts

# Seconds for one contract. Their client waits five seconds for an answer.
TIMEOUT = 60


async def main(url: str, only: str) -> None:
    for contract in (each for each in a2a_contracts if only in each.id):
        try:
            result = await asyncio.wait_for(contract.verify(url), TIMEOUT)
            outcome = {"passed": result.passed, "detail": result.detail}
        except TimeoutError:
            outcome = {"passed": False, "detail": f"no end after {TIMEOUT} s"}
        print(json.dumps({"id": contract.id, **outcome}), flush=True)


asyncio.run(main(sys.argv[1], sys.argv[2]))

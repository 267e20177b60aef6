"""Runs the agent of dummy-a2a on a free port of loopback until its input ends, and prints its URL."""

import asyncio
import sys

from dummy_a2a import DummyA2AServer


async def main() -> None:
    async with DummyA2AServer(port=0, log_level="error", sdk_log_level="ERROR") as server:
        print(server.url, flush=True)
        await asyncio.to_thread(sys.stdin.read)


asyncio.run(main())

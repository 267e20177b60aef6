"""An agent made with the official SDK that forwards each message to the agent behind it with the SDK's client.

Arguments: its port, and the port of the agent.
"""

import sys

import uvicorn
from a2a.client import create_client
from a2a.server.agent_execution import AgentExecutor
from a2a.server.request_handlers import DefaultRequestHandler
from a2a.server.routes import create_agent_card_routes, create_jsonrpc_routes
from a2a.server.tasks import InMemoryTaskStore
from a2a.types import AgentCapabilities, AgentCard, AgentInterface, SendMessageRequest
from starlette.applications import Starlette

port, agent = sys.argv[1:3]


class Forwarder(AgentExecutor):
    """Answers with the task of the agent behind, under the ids of this server."""

    client = None

    async def execute(self, context, event_queue):
        if self.client is None:
            self.client = await create_client(f"http://localhost:{agent}")
        request = SendMessageRequest(message=context.message)
        async for response in self.client.send_message(request):
            task = response.task
            task.id = context.task_id
            task.context_id = context.context_id
            await event_queue.enqueue_event(task)

    async def cancel(self, context, event_queue):
        raise NotImplementedError


url = f"http://127.0.0.1:{port}/"
card = AgentCard(
    name="Forwarder",
    description="Forwards each message",
    version="1.0.0",
    supported_interfaces=[AgentInterface(url=url, protocol_binding="JSONRPC", protocol_version="1.0")],
    capabilities=AgentCapabilities(streaming=False),
    default_input_modes=["text/plain"],
    default_output_modes=["text/plain"],
)
handler = DefaultRequestHandler(Forwarder(), InMemoryTaskStore(), card)
routes = [*create_agent_card_routes(card), *create_jsonrpc_routes(handler, "/")]
uvicorn.run(Starlette(routes=routes), host="127.0.0.1", port=int(port), log_level="error")

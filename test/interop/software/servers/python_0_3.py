"""An agent made with a2a-sdk 0.3 that answers every message with a file, and calls another one."""

import asyncio
import base64
import json
import os

import grpc
import httpx
import uvicorn
from a2a.client import ClientConfig, ClientFactory
from a2a.client.client_factory import minimal_agent_card
from a2a.grpc import a2a_pb2_grpc
from a2a.server.agent_execution import AgentExecutor
from a2a.server.apps.rest.fastapi_app import A2ARESTFastAPIApplication
from a2a.server.request_handlers import DefaultRequestHandler, GrpcHandler
from a2a.server.tasks import InMemoryTaskStore
from a2a.types import AgentCapabilities, AgentCard, FilePart, FileWithBytes, Message, Part, TaskQueryParams


class Agent(AgentExecutor):
    async def execute(self, context, event_queue):
        content = base64.b64encode(os.environ['FILE'].encode()).decode()
        file = FileWithBytes(bytes=content, name='a.bin', mime_type='application/octet-stream')
        part = Part(root=FilePart(file=file))
        await event_queue.enqueue_event(Message(message_id='m', role='agent', parts=[part]))

    async def cancel(self, context, event_queue):
        pass


async def call(transport, url):
    config = ClientConfig(
        httpx_client=httpx.AsyncClient(), supported_transports=[transport],
        grpc_channel_factory=grpc.aio.insecure_channel,
    )
    client = ClientFactory(config).create(minimal_agent_card(url, [transport]))
    await client.get_task(TaskQueryParams(id='any'))


async def main():
    card = AgentCard(
        name='Files', description='Answers with a file', version='1', url='http://localhost', skills=[],
        capabilities=AgentCapabilities(), default_input_modes=['text'], default_output_modes=['text'],
    )
    handler = DefaultRequestHandler(Agent(), InMemoryTaskStore())
    rpc = grpc.aio.server()
    a2a_pb2_grpc.add_A2AServiceServicer_to_server(GrpcHandler(card, handler), rpc)
    ports = {'grpc': rpc.add_insecure_port('127.0.0.1:0')}
    await rpc.start()
    app = A2ARESTFastAPIApplication(card, handler).build()
    web = uvicorn.Server(uvicorn.Config(app, port=0, log_level='error'))
    serving = asyncio.create_task(web.serve())
    while not web.started:
        await asyncio.sleep(0.05)
    ports['rest'] = web.servers[0].sockets[0].getsockname()[1]
    print(json.dumps(ports), flush=True)
    calls = call('GRPC', os.environ['CALL_GRPC']), call('HTTP+JSON', os.environ['CALL_HTTP'])
    await asyncio.gather(serving, *calls, return_exceptions=True)


asyncio.run(main())

"""An agent made with a2a-sdk 1.x that also speaks A2A 0.3, answers every message with a file, and calls another one."""

import asyncio
import json
import os

import grpc
import httpx
import uvicorn
from a2a.client import ClientConfig, ClientFactory
from a2a.compat.v0_3 import a2a_v0_3_pb2_grpc
from a2a.compat.v0_3.grpc_handler import CompatGrpcHandler
from a2a.server.agent_execution import AgentExecutor
from a2a.server.request_handlers import DefaultRequestHandler
from a2a.server.routes import create_rest_routes
from a2a.server.tasks import InMemoryTaskStore
from a2a.types import AgentCapabilities, AgentCard, AgentInterface, GetTaskRequest, Message, Part, Role
from fastapi import FastAPI


class Agent(AgentExecutor):
    async def execute(self, context, event_queue):
        part = Part(raw=os.environ['FILE'].encode(), filename='a.bin', media_type='application/octet-stream')
        await event_queue.enqueue_event(Message(message_id='m', role=Role.ROLE_AGENT, parts=[part]))

    async def cancel(self, context, event_queue):
        pass


async def call(binding, url):
    config = ClientConfig(
        httpx_client=httpx.AsyncClient(), supported_protocol_bindings=[binding],
        grpc_channel_factory=grpc.aio.insecure_channel,
    )
    interface = AgentInterface(url=url, protocol_binding=binding, protocol_version='0.3')
    client = ClientFactory(config).create(AgentCard(supported_interfaces=[interface]))
    await client.get_task(GetTaskRequest(id='any'))


async def main():
    card = AgentCard(
        name='Files', description='Answers with a file', version='1', capabilities=AgentCapabilities(),
        default_input_modes=['text'], default_output_modes=['text'],
    )
    handler = DefaultRequestHandler(Agent(), InMemoryTaskStore(), card)
    rpc = grpc.aio.server()
    a2a_v0_3_pb2_grpc.add_A2AServiceServicer_to_server(CompatGrpcHandler(handler), rpc)
    ports = {'grpc': rpc.add_insecure_port('127.0.0.1:0')}
    await rpc.start()
    app = FastAPI(routes=create_rest_routes(handler, enable_v0_3_compat=True))
    web = uvicorn.Server(uvicorn.Config(app, port=0, log_level='error'))
    serving = asyncio.create_task(web.serve())
    while not web.started:
        await asyncio.sleep(0.05)
    ports['rest'] = web.servers[0].sockets[0].getsockname()[1]
    print(json.dumps(ports), flush=True)
    calls = call('GRPC', os.environ['CALL_GRPC']), call('HTTP+JSON', os.environ['CALL_HTTP'])
    await asyncio.gather(serving, *calls, return_exceptions=True)


asyncio.run(main())

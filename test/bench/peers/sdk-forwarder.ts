/**
 * An agent made with the official SDK that forwards each message to the agent behind it with the SDK's client. Its
 * argument is the port of the agent.
 */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { AgentCard, SendMessageRequest } from '@a2a-js/sdk';
import { ClientFactory } from '@a2a-js/sdk/client';
import { AgentEvent, type AgentExecutor, DefaultRequestHandler, InMemoryTaskStore } from '@a2a-js/sdk/server';
import { jsonRpcHandler, UserBuilder } from '@a2a-js/sdk/server/express';
import express from 'express';
import { report } from '../servers/child.ts';

const [agent] = process.argv.slice(2);
const client = await new ClientFactory().createFromUrl(`http://localhost:${agent}`);

/** Answers with the task of the agent behind, under the ids of this server. */
const executor: AgentExecutor = {
  async execute({ taskId, contextId, userMessage }, bus) {
    const request = { ...SendMessageRequest.fromJSON({}), message: userMessage };
    const answer = await client.sendMessage(request);
    if (!('artifacts' in answer)) throw new Error('the agent answers with tasks');
    bus.publish(AgentEvent.task({ ...answer, id: taskId, contextId }));
    bus.finished();
  },
  async cancelTask() {},
};

const card = AgentCard.fromJSON({
  name: 'Forwarder',
  description: 'Forwards each message',
  version: '1.0.0',
  supportedInterfaces: [{ url: 'http://localhost', protocolBinding: 'JSONRPC', protocolVersion: '1.0' }],
  capabilities: { streaming: false },
  defaultInputModes: ['text/plain'],
  defaultOutputModes: ['text/plain'],
  skills: [],
});
const requestHandler = new DefaultRequestHandler(card, new InMemoryTaskStore(), executor);
const app = express();
app.use('/', jsonRpcHandler({ requestHandler, userBuilder: UserBuilder.noAuthentication }));
const http = createServer(app).listen(0, '127.0.0.1', () => report({ http: (http.address() as AddressInfo).port }));

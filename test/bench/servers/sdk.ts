/**
 * The official SDK's server as its documentation sets it up: express, its in-memory store, grpc-js. `compatible` turns
 * its layer for clients of 0.3 on.
 */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { AgentCard, type Artifact, Message, Task, TaskArtifactUpdateEvent, TaskStatusUpdateEvent } from '@a2a-js/sdk';
import { AgentEvent, type AgentExecutor, DefaultRequestHandler, InMemoryTaskStore } from '@a2a-js/sdk/server';
import { jsonRpcHandler, restHandler, UserBuilder } from '@a2a-js/sdk/server/express';
import { A2AService, grpcService } from '@a2a-js/sdk/server/grpc';
import grpc from '@grpc/grpc-js';
import express from 'express';
import { newId } from '../../../src/core/model/ids.ts';
import { report } from './child.ts';

const compatible = process.argv[2] === 'compatible';

const card = AgentCard.fromJSON({
  name: 'Bench',
  description: 'Answers as the reference agent does',
  version: '1.0.0',
  supportedInterfaces: [
    { url: 'http://localhost', protocolBinding: 'JSONRPC', protocolVersion: '1.0' },
    { url: 'http://localhost', protocolBinding: 'HTTP+JSON', protocolVersion: '1.0' },
    { url: 'localhost', protocolBinding: 'GRPC', protocolVersion: '1.0' },
    ...(compatible ? [{ url: 'http://localhost', protocolBinding: 'JSONRPC', protocolVersion: '0.3' }] : []),
  ],
  capabilities: { streaming: true },
  defaultInputModes: ['text/plain'],
  defaultOutputModes: ['text/plain'],
  skills: [],
});

/** Answers `say`, `stream` and anything else as the gateway's reference agent does. */
const executor: AgentExecutor = {
  async execute(context, bus) {
    const { taskId, contextId, userMessage } = context;
    const [first] = userMessage.parts;
    const text = first?.content?.$case === 'text' ? first.content.value : '';
    const timestamp = (): string => new Date().toISOString();
    const status = (state: string): void =>
      bus.publish(
        AgentEvent.statusUpdate(
          TaskStatusUpdateEvent.fromJSON({ taskId, contextId, status: { state, timestamp: timestamp() } }),
        ),
      );
    const artifact = (body: object, flags: object = {}): void =>
      bus.publish(
        AgentEvent.artifactUpdate(
          TaskArtifactUpdateEvent.fromJSON({ taskId, contextId, artifact: body as Artifact, ...flags }),
        ),
      );
    if (text.startsWith('say ')) {
      const message = { messageId: newId(), contextId, role: 'ROLE_AGENT', parts: [{ text: text.slice(4) }] };
      bus.publish(AgentEvent.message(Message.fromJSON(message)));
      bus.finished();
      return;
    }
    const submitted = { state: 'TASK_STATE_SUBMITTED', timestamp: timestamp() };
    const task = Task.fromJSON({ id: taskId, contextId, status: submitted });
    bus.publish(AgentEvent.task({ ...task, history: [userMessage] }));
    status('TASK_STATE_WORKING');
    // Once this resolves, the SDK ends the streams of the task.
    if (text === 'wait') await new Promise(() => {});
    const [, count] = /^stream (\d+)/.exec(text) ?? [];
    if (count === undefined) artifact({ artifactId: newId(), name: 'echo', parts: [{ text }] });
    for (let i = 1; i <= Number(count ?? 0); i += 1) {
      const flags = { append: i > 1, lastChunk: i === Number(count) };
      artifact({ artifactId: `${taskId}-stream`, name: 'stream', parts: [{ text: `chunk ${i}` }] }, flags);
    }
    status('TASK_STATE_COMPLETED');
    bus.finished();
  },
  async cancelTask() {},
};

const requestHandler = new DefaultRequestHandler(card, new InMemoryTaskStore(), executor);
const userBuilder = UserBuilder.noAuthentication;
const app = express();
app.use('/rest', restHandler({ requestHandler, userBuilder }));
app.use('/', jsonRpcHandler({ requestHandler, userBuilder, legacyCompat: { enabled: compatible } }));
const http = createServer(app).listen(0, '127.0.0.1', () => {
  const server = new grpc.Server();
  server.addService(A2AService, grpcService({ requestHandler, userBuilder }));
  server.bindAsync('127.0.0.1:0', grpc.ServerCredentials.createInsecure(), (error, port) => {
    if (error) throw error;
    report({ http: (http.address() as AddressInfo).port, grpc: port });
  });
});

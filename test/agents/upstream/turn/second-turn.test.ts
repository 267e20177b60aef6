import { createServer } from 'node:http';
import { AgentCard, Message, Task, TaskStatusUpdateEvent } from '@a2a-js/sdk';
import { AgentEvent, type AgentExecutor, DefaultRequestHandler, InMemoryTaskStore } from '@a2a-js/sdk/server';
import { agentCardHandler, jsonRpcHandler, restHandler, UserBuilder } from '@a2a-js/sdk/server/express';
import { A2AService, grpcService, UserBuilder as RpcUserBuilder } from '@a2a-js/sdk/server/grpc';
import * as grpc from '@grpc/grpc-js';
import express from 'express';
import { describe, expect, it } from 'vitest';
import type { Call, Invoke } from '../../../../src/core/model/call.ts';
import { afterTest, listenOn } from '../../../support/peer.ts';
import { startBridge } from '../../../support/upstreams.ts';

/**
 * An agent of the official SDK that publishes the Task for a new task only, as the SDK's sample does. The SDK refuses the stream
 * of a later turn with UnsupportedOperationError, after it has run the agent.
 */

type Protocol = 'JSONRPC' | 'HTTP+JSON' | 'GRPC';

/** Asks, and then books: what it has done, in order. It books no earlier than it is watched. */
function booker(done: string[], watched: Promise<void>): AgentExecutor {
  return {
    async execute({ taskId, contextId, userMessage, task }, bus) {
      const say = (state: string, text: string): void => {
        const message = { messageId: `${text}-${taskId}`, role: 'ROLE_AGENT', parts: [{ text }], taskId, contextId };
        const update = { taskId, contextId, status: { state, timestamp: new Date().toISOString(), message } };
        bus.publish(AgentEvent.statusUpdate(TaskStatusUpdateEvent.fromJSON(update)));
      };
      if (!task) {
        const opened = Task.fromJSON({ id: taskId, contextId, status: { state: 'TASK_STATE_SUBMITTED' } });
        bus.publish(AgentEvent.task({ ...opened, history: [userMessage] }));
        say('TASK_STATE_INPUT_REQUIRED', 'Shall I book?');
      } else {
        say('TASK_STATE_WORKING', 'Booking');
        await watched;
        done.push((Message.toJSON(userMessage) as { messageId: string }).messageId);
        say('TASK_STATE_COMPLETED', 'Booked');
      }
      bus.finished();
    },
    async cancelTask() {},
  };
}

async function startAgent(protocolBinding: Protocol, executor: AgentExecutor): Promise<string> {
  const modes = { defaultInputModes: ['text/plain'], defaultOutputModes: ['text/plain'] };
  const card = AgentCard.fromJSON({
    name: 'Booker',
    description: 'Books',
    version: '1',
    capabilities: { streaming: true },
    ...modes,
    skills: [{ id: 'book', name: 'Book', description: 'Books', tags: ['book'] }],
    supportedInterfaces: [{ protocolBinding, protocolVersion: '1.0' }],
  });
  const requestHandler = new DefaultRequestHandler(card, new InMemoryTaskStore(), executor);
  const userBuilder = UserBuilder.noAuthentication;
  const app = express();
  app.use('/.well-known/agent-card.json', agentCardHandler({ agentCardProvider: requestHandler }));
  app.use('/rest', restHandler({ requestHandler, userBuilder }));
  app.use('/rpc', jsonRpcHandler({ requestHandler, userBuilder }));
  const { origin } = await listenOn(createServer(app));
  const server = new grpc.Server();
  server.addService(A2AService, grpcService({ requestHandler, userBuilder: RpcUserBuilder.noAuthentication }));
  const port = await new Promise<number>((resolve, reject) => {
    server.bindAsync('127.0.0.1:0', grpc.ServerCredentials.createInsecure(), (error, bound) =>
      error ? reject(error) : resolve(bound),
    );
  });
  afterTest(() => server.forceShutdown());
  const urls = { JSONRPC: `${origin}/rpc`, 'HTTP+JSON': `${origin}/rest`, GRPC: `127.0.0.1:${port}` };
  for (const one of card.supportedInterfaces) one.url = urls[protocolBinding];
  return origin;
}

describe.each(['JSONRPC', 'HTTP+JSON', 'GRPC'] as const)('an agent of the official SDK over %s', (protocol) => {
  it(`an agent of the official SDK over ${protocol} carries out the second message of a task once, and its caller gets the outcome`, async () => {
    const done: string[] = [];
    const { promise: watched, resolve: watch } = Promise.withResolvers<void>();
    const observe = () => (next: Invoke) => async (call: Call) => {
      const reply = await next(call);
      if (call.operation === 'SubscribeToTask') watch();
      return reply;
    };
    const url = await startAgent(protocol, booker(done, watched));
    const bridge = await startBridge({ up: { url, observe } });
    const client = await bridge.client('up');
    const { task: asked } = await client.send('a trip');
    const { task } = await client.send('yes', { taskId: asked?.id ?? '' });
    expect(task?.status.state).toBe('TASK_STATE_COMPLETED');
    expect(task?.status.message?.parts[0]?.text).toBe('Booked');
    expect(done).toHaveLength(1);
    // The agent still streams.
    const events: string[] = [];
    for await (const event of client.sendStream('another trip')) events.push(...Object.keys(event));
    expect(events).toEqual(['task', 'statusUpdate']);
  });
});

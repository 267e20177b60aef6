import { createServer } from 'node:http';
import { AgentCard, Message, Task, TaskArtifactUpdateEvent, TaskStatusUpdateEvent } from '@a2a-js/sdk';
import {
  AgentEvent,
  type AgentExecutor as Executor10,
  DefaultRequestHandler as Handler10,
  InMemoryTaskStore as Store10,
} from '@a2a-js/sdk/server';
import * as web10 from '@a2a-js/sdk/server/express';
import * as rpc10 from '@a2a-js/sdk/server/grpc';
import * as grpc from '@grpc/grpc-js';
import * as sdk02 from 'a2a-sdk-0.2/server';
import * as sdk03 from 'a2a-sdk-0.3/server';
import * as web03 from 'a2a-sdk-0.3/server/express';
import * as rpc03 from 'a2a-sdk-0.3/server/grpc';
import express from 'express';
import type * as v1 from '../../src/core/model/a2a.ts';
import { execute, type Script, type Turn, type Waits } from './agent-script.ts';
import { legacyEvent, v1Message } from './legacy-words.ts';
import { listenOn } from './peer.ts';

/**
 * Agents behind servers of the official SDKs, set up as the SDKs' documentation has it. All do the same
 * (`agent-script.ts`); each lists one binding, so that clients have no choice.
 */

/** A server that runs. */
export interface SdkAgent {
  /** The agent's base URL. */
  readonly url: string;
  /** Ids of the tasks that the server was asked to cancel. */
  readonly canceled: readonly string[];
  /** Lets a task that waits go on. */
  release(): void;
  /** The task as the server itself has it, in the SDK's own words. */
  taskOf(id: string): Promise<unknown>;
  close(): Promise<void>;
}

const text = ['text/plain'];
const described = {
  name: 'SDK agent',
  description: 'Does what a text says',
  version: '1.2.3',
  defaultInputModes: text,
  defaultOutputModes: text,
  skills: [{ id: 'play', name: 'Play', description: 'Follows commands', tags: ['test'], examples: ['chunks 3'] }],
};

/** Cancels and waits of one agent. */
class Desk implements Waits {
  readonly canceled: string[] = [];
  readonly #stops = new Map<string, (how: 'stopped' | 'released') => void>();

  wait(taskId: string): Promise<'stopped' | 'released'> {
    return new Promise((resolve) => this.#stops.set(taskId, resolve));
  }

  /** @returns whether a turn was waiting for it */
  stop(taskId: string): boolean {
    this.canceled.push(taskId);
    const stop = this.#stops.get(taskId);
    stop?.('stopped');
    this.#stops.delete(taskId);
    return stop !== undefined;
  }

  /** The turn is over. */
  forget(taskId: string): void {
    this.#stops.delete(taskId);
  }

  release(): void {
    for (const resolve of this.#stops.values()) resolve('released');
    this.#stops.clear();
  }
}

async function listenGrpc(add: (server: grpc.Server) => void): Promise<{ port: number; close(): Promise<void> }> {
  const server = new grpc.Server();
  add(server);
  const port = await new Promise<number>((resolve, reject) => {
    server.bindAsync('127.0.0.1:0', grpc.ServerCredentials.createInsecure(), (error, bound) =>
      error ? reject(error) : resolve(bound),
    );
  });
  return { port, close: async () => server.forceShutdown() };
}

/** The three bindings, where the card does not yet know its ports when the server is made. */
type Protocol = 'JSONRPC' | 'HTTP+JSON' | 'GRPC';

async function startSdk10(protocol: Protocol, script: Script): Promise<SdkAgent> {
  const desk = new Desk();
  const executor: Executor10 = {
    async execute({ taskId, contextId, userMessage, task }, bus) {
      const tell = ({ task, message, statusUpdate, artifactUpdate }: v1.StreamResponse): void => {
        if (task) bus.publish(AgentEvent.task(Task.fromJSON(task)));
        if (message) bus.publish(AgentEvent.message(Message.fromJSON(message)));
        if (statusUpdate) bus.publish(AgentEvent.statusUpdate(TaskStatusUpdateEvent.fromJSON(statusUpdate)));
        if (artifactUpdate) bus.publish(AgentEvent.artifactUpdate(TaskArtifactUpdateEvent.fromJSON(artifactUpdate)));
      };
      const before = task && (Task.toJSON(task) as v1.Task);
      // This server wants a task, or a message, first, also when the task already exists.
      if (before) tell({ task: before });
      const turn = { taskId, contextId, message: Message.toJSON(userMessage) as v1.Message, before };
      await script(turn, tell, desk);
      desk.forget(taskId);
      bus.finished();
    },
    async cancelTask(taskId, bus) {
      if (desk.stop(taskId)) return;
      // This server waits for an event, also where the task rests.
      const task = await store.load(taskId, ownContext());
      const status = { state: 'TASK_STATE_CANCELED', timestamp: new Date().toISOString() };
      const update = { taskId, contextId: task?.contextId ?? '', status };
      bus.publish(AgentEvent.statusUpdate(TaskStatusUpdateEvent.fromJSON(update)));
      bus.finished();
    },
  };
  const agentInterface = { protocolBinding: protocol, protocolVersion: '1.0' };
  const card = AgentCard.fromJSON({
    ...described,
    capabilities: { streaming: true },
    supportedInterfaces: [agentInterface],
  });
  const store = new Store10();
  const requestHandler = new Handler10(card, store, executor);
  const userBuilder = web10.UserBuilder.noAuthentication;
  const app = express();
  app.use('/.well-known/agent-card.json', web10.agentCardHandler({ agentCardProvider: requestHandler }));
  app.use('/rest', web10.restHandler({ requestHandler, userBuilder }));
  app.use('/rpc', web10.jsonRpcHandler({ requestHandler, userBuilder }));
  const web = await listenOn(createServer(app));
  const rpc = await listenGrpc((server) =>
    server.addService(
      rpc10.A2AService,
      rpc10.grpcService({ requestHandler, userBuilder: rpc10.UserBuilder.noAuthentication }),
    ),
  );
  const origin = `http://127.0.0.1:${web.port}`;
  const urls = { JSONRPC: `${origin}/rpc`, 'HTTP+JSON': `${origin}/rest`, GRPC: `127.0.0.1:${rpc.port}` };
  for (const one of card.supportedInterfaces) one.url = urls[protocol];
  return running(origin, desk, [web, rpc], async (id) =>
    Task.toJSON(await requestHandler.getTask({ tenant: '', id, historyLength: undefined }, ownContext())),
  );
}

const ownContext = (): never => ({ tenant: '', user: { isAuthenticated: false, userName: '' } }) as never;

const running = (
  url: string,
  desk: Desk,
  servers: readonly { close(): Promise<void> }[],
  taskOf: SdkAgent['taskOf'],
): SdkAgent => ({
  url,
  canceled: desk.canceled,
  release: () => desk.release(),
  taskOf,
  async close() {
    desk.release();
    await Promise.all(servers.map((server) => server.close()));
  },
});

/** The executor of the SDKs of 0.2 and 0.3, whose objects are alike. */
function legacyExecutor(desk: Desk, script: Script): sdk03.AgentExecutor & sdk02.AgentExecutor {
  return {
    async execute(
      context: sdk03.RequestContext | sdk02.RequestContext,
      bus: sdk03.ExecutionEventBus | sdk02.ExecutionEventBus,
    ) {
      const { taskId, contextId, userMessage, task } = context;
      const turn: Turn = { taskId, contextId, message: v1Message(userMessage), before: task && { continued: true } };
      await script(turn, (event) => bus.publish(legacyEvent(event) as never), desk);
      bus.finished();
    },
    async cancelTask(taskId: string) {
      desk.stop(taskId);
    },
  };
}

async function startSdk03(protocol: Protocol, script: Script): Promise<SdkAgent> {
  const desk = new Desk();
  const card = {
    ...described,
    protocolVersion: '0.3.0',
    url: '',
    preferredTransport: protocol,
    capabilities: { streaming: true },
  };
  const store = new sdk03.InMemoryTaskStore();
  const requestHandler = new sdk03.DefaultRequestHandler(card, store, legacyExecutor(desk, script));
  const userBuilder = web03.UserBuilder.noAuthentication;
  const app = express();
  app.use('/.well-known/agent-card.json', web03.agentCardHandler({ agentCardProvider: requestHandler }));
  app.use('/rest', web03.restHandler({ requestHandler, userBuilder }));
  app.use('/rpc', web03.jsonRpcHandler({ requestHandler, userBuilder }));
  const web = await listenOn(createServer(app));
  const rpc = await listenGrpc((server) =>
    server.addService(
      rpc03.A2AService,
      rpc03.grpcService({ requestHandler, userBuilder: rpc03.UserBuilder.noAuthentication }),
    ),
  );
  const origin = `http://127.0.0.1:${web.port}`;
  card.url = { JSONRPC: `${origin}/rpc`, 'HTTP+JSON': `${origin}/rest`, GRPC: `127.0.0.1:${rpc.port}` }[protocol];
  return running(origin, desk, [web, rpc], (id) => store.load(id));
}

async function startSdk02(script: Script): Promise<SdkAgent> {
  const desk = new Desk();
  const card = {
    ...described,
    url: '',
    capabilities: { streaming: true, stateTransitionHistory: true },
  };
  const store = new sdk02.InMemoryTaskStore();
  const app = express();
  new sdk02.A2AExpressApp(new sdk02.DefaultRequestHandler(card, store, legacyExecutor(desk, script))).setupRoutes(
    app as never,
  );
  const web = await listenOn(createServer(app));
  const origin = `http://127.0.0.1:${web.port}`;
  card.url = `${origin}/`;
  return running(origin, desk, [web], (id) => store.load(id));
}

/** Every server by a name that can be an agent's in a configuration. Agents do what a text says, unless there is a script. */
export const sdkAgents: Readonly<Record<string, (script?: Script) => Promise<SdkAgent>>> = {
  'sdk10-jsonrpc': (script = execute) => startSdk10('JSONRPC', script),
  'sdk10-rest': (script = execute) => startSdk10('HTTP+JSON', script),
  'sdk10-grpc': (script = execute) => startSdk10('GRPC', script),
  'sdk03-jsonrpc': (script = execute) => startSdk03('JSONRPC', script),
  'sdk03-rest': (script = execute) => startSdk03('HTTP+JSON', script),
  'sdk03-grpc': (script = execute) => startSdk03('GRPC', script),
  'sdk02-jsonrpc': (script = execute) => startSdk02(script),
};

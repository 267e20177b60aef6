import { createServer, type Socket } from 'node:net';
import { api, type SendMessageResponse, type StreamResponse } from '../../src/core/model/a2a.ts';
import type { Call, CallContext, Invoke, LoggedEvent, Reply } from '../../src/core/model/call.ts';
import type { AgentDirectory } from '../../src/core/ports/agent-directory.ts';
import type { Logger } from '../../src/core/ports/logger.ts';
import type { Dialects } from '../../src/dialects/kernel/detect.ts';
import { createDialects } from '../../src/dialects/registry.ts';
import { GrpcServer, type GrpcServerOptions } from '../../src/transports/grpc/server.ts';
import { contextFor } from '../support/core.ts';
import { image } from '../support/descriptors.ts';
import { endAfterTest, listenOn } from '../support/peer.ts';
import { Changes } from '../support/until.ts';

export { api };
export const dialects: Dialects = createDialects();
export const [dialect] = dialects.list as unknown as [Dialects['default']];
export const loadImage = async (): Promise<Uint8Array> => Buffer.from(image, 'base64');
export const caller = { id: 'tester', anonymous: false };

/** A logger that keeps its lines for tests. */
export function recorder(): Logger & { readonly lines: { fields: object; message: string }[] } {
  const lines: { fields: object; message: string }[] = [];
  const log = (fields: object, message: string): void => void lines.push({ fields, message });
  return { lines, debug: log, info: log, warn: log, error: log };
}

/** Agents `demo`, the default, and `weather`, which owns a host. */
export const agents: AgentDirectory = {
  defaultName: 'demo',
  names: ['demo', 'weather'],
  get: (name) => (name === 'demo' || name === 'weather' ? ({} as never) : undefined),
  forHost: (host) => (host.split(':')[0] === 'weather.example.com' ? 'weather' : undefined),
};

/** An `Invoke` whose answers a test sets, and which remembers what it was called with. */
export class FakeCore {
  readonly calls: Call[] = [];
  readonly #changes = new Changes();
  answer: (call: Call) => Reply | Promise<Reply> = () => ({ value: {} as never });

  readonly invoke: Invoke = async (call) => {
    this.calls.push(call);
    call.context.signal.addEventListener('abort', this.#changes.happened);
    this.#changes.happened();
    return this.answer(call);
  };

  /** Resolves once something holds of the calls: asked again when one begins, or is aborted. */
  async until(check: (core: this) => boolean): Promise<void> {
    await this.#changes.until(() => check(this));
  }

  get last(): Call {
    const call = this.calls.at(-1);
    if (!call) throw new Error('never called');
    return call;
  }
}

export const logged = (event: StreamResponse, seq = 1): LoggedEvent => ({
  seq,
  at: 0,
  generation: 0,
  event,
  json: JSON.stringify(event),
});

export const chunk = (i: number, text = `chunk ${i}`): StreamResponse => ({
  artifactUpdate: {
    taskId: 't1',
    contextId: 'c1',
    artifact: { artifactId: 'a1', parts: [{ text }] },
    append: true,
  },
});

export async function* eventsOf(events: Iterable<StreamResponse>): AsyncGenerator<LoggedEvent> {
  let seq = 0;
  for (const event of events) yield logged(event, ++seq);
}

export const message = { messageId: 'm1', role: 'ROLE_USER', parts: [{ text: 'hello' }] } as const;
export const reply: SendMessageResponse = {
  message: { messageId: 'r1', role: 'ROLE_AGENT', parts: [{ text: 'hi' }] },
};

export const context = (over: Partial<CallContext> = {}): CallContext =>
  contextFor('demo', { requestId: 'req-1', principal: caller, ...over });

export interface Running {
  readonly server: GrpcServer;
  readonly core: FakeCore;
  readonly port: number;
  readonly target: string;
  readonly sockets: Set<Socket>;
  readonly logger: ReturnType<typeof recorder>;
  stop(): Promise<void>;
}

/** A gRPC server over real sockets and a fake core. */
export async function startGrpc(over: Partial<GrpcServerOptions> = {}): Promise<Running> {
  const core = new FakeCore();
  const logger = recorder();
  const server = new GrpcServer({
    dialects: dialects.list,
    invoke: core.invoke,
    authenticate: () => caller,
    agents,
    logger,
    loadImage,
    ...over,
    limits: { body: 64 * 1024, ...over.limits },
  });
  const sockets = new Set<Socket>();
  const listener = createServer((socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
    server.serveConnection(socket);
  });
  const { port, close } = await listenOn(listener);
  return {
    server,
    core,
    port,
    target: `127.0.0.1:${port}`,
    sockets,
    logger,
    stop: endAfterTest(async () => {
      server.close();
      await close();
    }),
  };
}

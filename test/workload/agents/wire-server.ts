import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import * as http2 from 'node:http2';
import type { Speech } from './speeches.ts';
import type { Line, WireAgent } from './wire-agent.ts';

/** Ports at which an agent serves its card and its calls, and its calls over gRPC. */
export const ports = { http: 8080, grpc: 8090 } as const;

export interface WireServerOptions {
  readonly agent: WireAgent;
  readonly speech: Speech;
  /** The address in its card. */
  readonly address: string;
}

/** Serves an agent at its address. */
export async function serveWireAgent({ agent, speech, address }: WireServerOptions): Promise<void> {
  const { words, grpc } = speech;
  const whole = words ? words.card(`http://${address}:${ports.http}/rpc`) : grpc?.card(`${address}:${ports.grpc}`);
  const card = agent.namesVersion ? whole : { ...whole, protocolVersion: undefined };
  const cardPath = words?.cardPath ?? '/.well-known/agent-card.json';
  const json = { 'content-type': 'application/json' };
  const http = createServer(async (req, res) => {
    const body = await bodyOf(req).catch(() => undefined);
    if (body === undefined) return;
    const { method = 'GET', url = '/' } = req;
    if (method === 'GET' && url === cardPath) {
      res.writeHead(200, json).end(JSON.stringify(card));
      return;
    }
    const call = words?.read(method, url, body);
    if (words && call) await agent.serve(call, httpLine(words, call, req, res));
    else refuseUnknown(url, body, res);
  });
  http.listen(ports.http);
  await once(http, 'listening');
  if (grpc) await serveGrpc(agent, grpc);
}

async function bodyOf(req: AsyncIterable<Buffer>): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of req) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}

/** Answers a call that the agent does not have, as JSON-RPC where it is one. */
function refuseUnknown(url: string, body: string, res: ServerResponse): void {
  if (url !== '/rpc') {
    res.writeHead(404).end();
    return;
  }
  const { id = null } = JSON.parse(body || '{}') as { id?: unknown };
  const error = { code: -32601, message: 'Method not found' };
  res.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ jsonrpc: '2.0', id, error }));
}

/** Aborted when a connection is closed. */
function goneOf(connection: ServerResponse | http2.ServerHttp2Stream): AbortSignal {
  const gone = new AbortController();
  connection.once('close', () => gone.abort());
  return gone.signal;
}

/** Resolves when something is written, or its reader has gone. */
function written(gone: AbortSignal, write: (done: () => void) => void): Promise<void> {
  return new Promise((resolve) => {
    if (gone.aborted) {
      resolve();
      return;
    }
    const done = (): void => {
      gone.removeEventListener('abort', done);
      resolve();
    };
    gone.addEventListener('abort', done);
    write(done);
  });
}

function httpLine(
  words: NonNullable<Speech['words']>,
  call: NonNullable<ReturnType<NonNullable<Speech['words']>['read']>>,
  req: IncomingMessage,
  res: ServerResponse,
): Line {
  const json = { 'content-type': 'application/json' };
  const gone = goneOf(res);
  const write = (text: string): Promise<void> => {
    if (!res.headersSent) res.writeHead(200, { 'content-type': 'text/event-stream' });
    return written(gone, (done) => res.write(text, done));
  };
  return {
    answer: (value) => void res.writeHead(200, json).end(words.answer(call, value)),
    refuse(error) {
      const [status, text] = words.error(call, error);
      res.writeHead(status, json).end(text);
    },
    tell: (event) => write(words.frame(call, event)),
    async breakIn(event) {
      const frame = words.frame(call, event);
      await write(frame.slice(0, frame.length >> 1));
      req.socket.resetAndDestroy();
    },
    end: () => void res.end(),
    reset: () => void req.socket.resetAndDestroy(),
    gone,
  };
}

const grpcCodes: Readonly<Record<number, number>> = { [-32001]: 5, [-32002]: 9, [-32004]: 9 };

async function serveGrpc(agent: WireAgent, words: NonNullable<Speech['grpc']>): Promise<void> {
  const server = http2.createServer();
  server.on('sessionError', () => undefined);
  server.on('stream', async (stream, headers) => {
    stream.on('error', () => undefined);
    const chunks: Buffer[] = [];
    try {
      for await (const chunk of stream) chunks.push(chunk as Buffer);
    } catch {
      return;
    }
    const call = words.read(headers[':path'] ?? '', Buffer.concat(chunks));
    if (call.operation !== '') await agent.serve(call, grpcLine(words, call.operation, stream));
    else stream.respond({ ...grpcHead, 'grpc-status': '12', 'grpc-message': 'unknown method' }, { endStream: true });
  });
  server.listen(ports.grpc);
  await once(server, 'listening');
}

const grpcHead = { ':status': 200, 'content-type': 'application/grpc' };

function grpcLine(words: NonNullable<Speech['grpc']>, operation: string, stream: http2.ServerHttp2Stream): Line {
  const gone = goneOf(stream);
  let trailers: http2.OutgoingHttpHeaders = { 'grpc-status': '0' };
  const open = (): void => {
    if (stream.headersSent || stream.destroyed) return;
    stream.respond(grpcHead, { waitForTrailers: true });
    stream.on('wantTrailers', () => stream.sendTrailers(trailers));
  };
  const write = (bytes: Buffer): Promise<void> => {
    open();
    return written(gone, (done) => stream.write(bytes, done));
  };
  const reset = (): void => void stream.session?.destroy();
  return {
    answer(value) {
      void write(words.frame(operation, value));
      stream.end();
    },
    refuse({ code, message }) {
      trailers = { 'grpc-status': String(grpcCodes[code] ?? 2), 'grpc-message': message };
      open();
      stream.end();
    },
    tell: (event) => write(words.frame(operation, event)),
    async breakIn(event) {
      const frame = words.frame(operation, event);
      await write(frame.subarray(0, frame.length >> 1));
      reset();
    },
    end() {
      open();
      stream.end();
    },
    reset,
    gone,
  };
}

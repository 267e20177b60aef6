import { once } from 'node:events';
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http';
import type { Http2ServerRequest } from 'node:http2';
import { type AddressInfo, createServer as createTcpServer, type Server, type Socket } from 'node:net';

/** Real servers on loopback, for clients to meet; each is gone after the test, or the file of tests, that started it. */

const cleanups = { test: [] as (() => unknown)[], file: [] as (() => unknown)[] };
let scope: keyof typeof cleanups = 'file';

/** Something to be done when the test is over; outside of tests, when its file is. */
export const afterTest = (cleanup: () => unknown): void => void cleanups[scope].push(cleanup);

/** `set-up.ts` calls this before each test, with all that its hooks open. */
export function beginTest(): void {
  scope = 'test';
}

/** Does what is to be done, the latest first: `set-up.ts` calls this after each test, and after each file. */
export async function cleanUp(ended: keyof typeof cleanups): Promise<void> {
  scope = 'file';
  for (const cleanup of cleanups[ended].splice(0).reverse()) await cleanup();
}

/** Returns a function that ends something once: `last` are its arguments if the test is over and has not ended it. */
export function endAfterTest<A extends unknown[]>(
  end: (...args: A) => Promise<void>,
  ...last: A
): (...args: A) => Promise<void> {
  let ended: Promise<void> | undefined;
  const once = (...args: A): Promise<void> => {
    ended ??= end(...args);
    return ended;
  };
  afterTest(() => once(...last));
  return once;
}

/** Lets a server listen on loopback. It is closed after the test, with all its connections. */
export async function listenOn(server: Server, port = 0) {
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    sockets.add(socket.on('error', () => {}));
    socket.once('close', () => sockets.delete(socket));
  });
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  const { port: taken } = server.address() as AddressInfo;
  const close = endAfterTest(async () => {
    const closed = server.listening && once(server, 'close');
    server.close();
    for (const socket of sockets) socket.destroy();
    await closed;
  });
  return { origin: `http://127.0.0.1:${taken}`, port: taken, close };
}

/** An HTTP server; its origin. */
export const serve = async (listener: RequestListener): Promise<string> =>
  (await listenOn(createServer(listener))).origin;

/** A server of bare sockets; its origin. */
export const serveTcp = async (onSocket: (socket: Socket) => void): Promise<string> =>
  (await listenOn(createTcpServer(onSocket))).origin;

/** The ports that `freePort` gave, at some of which nothing listens yet. */
const given = new Set<number>();

/**
 * Below the range that the system hands out: a client that connects to a port of that range may meet itself. And above the ports of
 * commands in pages (`test/readme/workspace.ts`).
 */
const range = { first: 22_768, size: 10_000 } as const;

/**
 * Processes that run tests have ports of their own: another one must not take the port of a server that is yet to start, or that starts
 * again, nor one at which nothing is to answer.
 */
const shares = 8;
const share = Number(process.env.VITEST_POOL_ID ?? 0) % shares;

/** A port that is free now. */
export async function freePort(): Promise<number> {
  const size = Math.floor(range.size / shares);
  for (;;) {
    const port = range.first + share * size + Math.floor(Math.random() * size);
    if (given.has(port)) continue;
    // The first of them are long closed.
    if (given.size > size / 2) given.clear();
    given.add(port);
    const server = createServer();
    const free = await new Promise<boolean>((resolve) => {
      server.once('error', () => resolve(false));
      server.listen(port, '127.0.0.1', () => resolve(true));
    });
    if (!free) continue;
    await new Promise((resolve) => server.close(resolve));
    return port;
  }
}

/** The origin of a port at which nothing listens. */
export const closedPortUrl = async (): Promise<string> => `http://127.0.0.1:${await freePort()}`;

/** The whole body of a request. Never resolves for one that breaks off: what would answer goes no further. */
export async function bytesOf(req: IncomingMessage | Http2ServerRequest): Promise<Buffer> {
  const chunks: Buffer[] = [];
  try {
    for await (const chunk of req) chunks.push(chunk as Buffer);
  } catch {
    await new Promise(() => {});
  }
  return Buffer.concat(chunks);
}

/** Returns a request's body as text. */
export const bodyOf = async (req: IncomingMessage): Promise<string> => (await bytesOf(req)).toString();

/** Answers with JSON. */
export const sendJson = (
  res: ServerResponse,
  body: unknown,
  status = 200,
  headers: Record<string, string> = {},
): void => void res.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));

import { once } from 'node:events';
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http';
import { type AddressInfo, connect, createServer as createTcpServer, type Socket } from 'node:net';

/** Real servers on loopback, for clients to meet; each is gone after the test that started it. */

const cleanups: (() => unknown)[] = [];

/** Something to be done when the test is over. */
export const afterTest = (cleanup: () => unknown): void => void cleanups.push(cleanup);

/** Does it, the latest first: `set-up.ts` calls this after each test. */
export async function cleanUp(): Promise<void> {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
}

/** An HTTP server; its origin. */
export async function serve(listener: RequestListener): Promise<string> {
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  afterTest(() => server.close());
  afterTest(() => server.closeAllConnections());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** A server of bare sockets; its origin. */
export async function serveTcp(onSocket: (socket: Socket) => void): Promise<string> {
  const sockets = new Set<Socket>();
  const server = createTcpServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => {});
    onSocket(socket);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  afterTest(() => server.close());
  afterTest(() => {
    for (const socket of sockets) socket.destroy();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** The origin of a port at which nothing listens. A connection uses it, so that no other server of the tests gets it. */
export async function closedPortUrl(): Promise<string> {
  const server = createTcpServer().listen(0, '127.0.0.1').unref();
  await once(server, 'listening');
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1').unref();
  await once(socket, 'connect');
  return `http://127.0.0.1:${socket.localPort}`;
}

/** The whole body of a request. */
export async function bodyOf(req: IncomingMessage): Promise<string> {
  let text = '';
  for await (const chunk of req.setEncoding('utf8')) text += chunk;
  return text;
}

/** Answers with JSON. */
export const sendJson = (
  res: ServerResponse,
  body: unknown,
  status = 200,
  headers: Record<string, string> = {},
): void => void res.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));

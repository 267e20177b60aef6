import { spawn } from 'node:child_process';
import { connect, createServer, type Socket } from 'node:net';
import { fileURLToPath } from 'node:url';
import { httpRequest } from './load/http.ts';
import { ServerProcess } from './server-process.ts';

/** Subscriptions that are held open at once. */
const subscribers = 1_000;

const headers = { 'Content-Type': 'application/json', 'A2A-Version': '1.0', Accept: 'text/event-stream' };

const waiting = httpRequest(
  'POST',
  '/',
  headers,
  JSON.stringify({
    jsonrpc: '2.0',
    id: 1,
    method: 'SendStreamingMessage',
    params: { message: { messageId: 'idle', role: 'ROLE_USER', parts: [{ text: 'wait' }] } },
  }),
);

/** KiB of resident memory that one idle stream, with a task of its own, takes on each server. */
export async function measureIdle(): Promise<Map<string, number>> {
  const kib = new Map<string, number>();
  for (const script of ['gateway', 'sdk']) {
    const server = await ServerProcess.start(script);
    try {
      // What the first hundred cost is warming up.
      const sockets = await open(server.http, 100);
      const before = await server.usage();
      sockets.push(...(await open(server.http, subscribers)));
      const after = await server.usage();
      kib.set(script, (after.rss - before.rss) / subscribers / 1_024);
      for (const socket of sockets) socket.destroy();
    } finally {
      await server.stop();
    }
  }
  return kib;
}

async function open(port: number, count: number): Promise<Socket[]> {
  const sockets: Socket[] = [];
  for (let i = 0; i < count; i += 1) sockets.push(await subscribe(port));
  return sockets;
}

/** A connection on which the stream has begun: its task is at work. */
function subscribe(port: number): Promise<Socket> {
  const { promise, resolve, reject } = Promise.withResolvers<Socket>();
  const socket = connect({ port, host: '127.0.0.1' }, () => socket.write(waiting));
  let seen = '';
  socket.setTimeout(10_000, () => reject(new Error('no stream within ten seconds')));
  socket.on('error', reject);
  socket.on('data', (data) => {
    seen += data.toString();
    if (!seen.includes('TASK_STATE_WORKING')) return;
    socket.setTimeout(0);
    resolve(socket);
  });
  return promise;
}

/** Milliseconds from starting the process to the first answer, several times. */
export async function measureStart(rounds: number): Promise<number[]> {
  const main = fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url));
  const times: number[] = [];
  for (let i = 0; i < rounds; i += 1) {
    const port = await freePort();
    const begin = performance.now();
    const child = spawn(process.execPath, [main, 'serve', '--port', String(port), '--store', 'memory:'], {
      stdio: 'ignore',
    });
    try {
      times.push(await firstAnswer(port, begin));
    } finally {
      child.kill('SIGKILL');
    }
  }
  return times;
}

async function firstAnswer(port: number, begin: number): Promise<number> {
  const method = 'SendMessage';
  const message = { messageId: 'first', role: 'ROLE_USER', parts: [{ text: 'say hi' }] };
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: { message } });
  for (;;) {
    try {
      const response = await fetch(`http://localhost:${port}/`, { method: 'POST', headers, body });
      await response.text();
      return performance.now() - begin;
    } catch (error) {
      if (performance.now() - begin > 10_000) throw error;
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
  }
}

/** A port below the ephemeral range, so that the poller cannot connect to itself. */
async function freePort(): Promise<number> {
  for (;;) {
    const port = 20_000 + Math.floor(Math.random() * 10_000);
    const free = await new Promise<boolean>((resolve) => {
      const probe = createServer()
        .once('error', () => resolve(false))
        .listen(port, '127.0.0.1', () => probe.close(() => resolve(true)));
    });
    if (free) return port;
  }
}

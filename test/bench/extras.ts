import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { fileURLToPath } from 'node:url';
import { httpRequest, loadHttp } from './load/http.ts';
import { ServerProcess } from './server-process.ts';

/** Subscriptions that are held open at once. */
const subscribers = 4_000;

const headers = { 'Content-Type': 'application/json', 'A2A-Version': '1.0', Accept: 'text/event-stream' };

const message = { messageId: 'idle', role: 'ROLE_USER', parts: [{ text: 'wait' }] };

const rpc = (method: string, params: object): Buffer =>
  httpRequest('POST', '/', headers, JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }));

const greeting = rpc('SendMessage', { message: { ...message, parts: [{ text: 'say hi' }] } });

/** What is held open: a subscription to one task for all, or a stream with a running task of its own. */
const idleStreams = {
  'idle subscription': async (port: number): Promise<Buffer> => {
    const first = await subscribe(port, rpc('SendStreamingMessage', { message }));
    const [, id] = /"task":\{"id":"([^"]+)"/.exec(first.seen) ?? [];
    if (id === undefined) throw new Error('no task in the stream');
    return rpc('SubscribeToTask', { id });
  },
  'idle stream of a running task': async (): Promise<Buffer> => rpc('SendStreamingMessage', { message }),
};

/** KiB of resident memory that one idle stream takes on each server, by what it is and by server. */
export async function measureIdle(): Promise<{ what: string; server: string; kib: number }[]> {
  const rows: { what: string; server: string; kib: number }[] = [];
  for (const [what, prepare] of Object.entries(idleStreams)) {
    for (const script of ['gateway', 'sdk']) {
      const server = await ServerProcess.start(script);
      try {
        const request = await prepare(server.http);
        // A server that has worked has grown its heap once and for all; that is not what a subscription costs.
        await loadHttp(server.http, greeting, { connections: 16, duration: 2_000, expect: 'ROLE_AGENT' });
        const sockets = await open(server.http, request, 1_000);
        const before = await server.usage('memory');
        sockets.push(...(await open(server.http, request, subscribers)));
        const after = await server.usage('memory');
        rows.push({ what, server: script, kib: (after.rss - before.rss) / subscribers / 1_024 });
        for (const socket of sockets) socket.destroy();
      } finally {
        await server.stop();
      }
    }
  }
  return rows;
}

async function open(port: number, request: Buffer, count: number): Promise<Socket[]> {
  const sockets: Socket[] = [];
  for (let i = 0; i < count; i += 1) sockets.push((await subscribe(port, request)).socket);
  return sockets;
}

/** A connection on which the stream has begun: its task is at work. */
function subscribe(port: number, request: Buffer): Promise<{ socket: Socket; seen: string }> {
  const { promise, resolve, reject } = Promise.withResolvers<{ socket: Socket; seen: string }>();
  const socket = connect({ port, host: '127.0.0.1' }, () => socket.write(request));
  let seen = '';
  socket.setTimeout(10_000, () => reject(new Error(`no stream within ten seconds: ${seen}`)));
  socket.on('error', reject);
  socket.on('data', (data) => {
    seen += data.toString();
    if (!seen.includes('TASK_STATE_WORKING')) return;
    socket.setTimeout(0);
    resolve({ socket, seen });
  });
  return promise;
}

/** Builds what the package ships: it starts in another time than the sources do. */
async function build(): Promise<void> {
  const script = fileURLToPath(new URL('../../scripts/build.ts', import.meta.url));
  const child = spawn(process.execPath, [script], { stdio: ['ignore', 'inherit', 'inherit'] });
  const [code] = (await once(child, 'exit')) as [number | null];
  if (code !== 0) throw new Error(`npm run build ended with ${code}`);
}

/** Milliseconds from starting the process to the first answer, several times. */
export async function measureStart(rounds: number): Promise<number[]> {
  await build();
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

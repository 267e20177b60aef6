import { connect, type Socket } from 'node:net';
import { loadHttp } from './load/http.ts';
import { type Figure, type Measured, ratio, rounded } from './part.ts';
import { params10, rpc, version10 } from './requests.ts';
import { ServerProcess } from './server-process.ts';
import type { Usage } from './servers/child.ts';

const headers = { ...version10, Accept: 'text/event-stream' };

const call = (method: string, params: object): Buffer => rpc('/', method, params, headers);

const greeting = call('SendMessage', params10('say hi'));

/** Idle streams to measure: all subscribe to one task, or each has a running task of its own. */
const idleStreams = {
  'idle subscriber': async (port: number): Promise<Buffer> => {
    const first = await subscribe(port, call('SendStreamingMessage', params10('wait')));
    const [, id] = /"task":\{"id":"([^"]+)"/.exec(first.seen) ?? [];
    if (id === undefined) throw new Error('no task in the stream');
    return call('SubscribeToTask', { id });
  },
  'idle stream of a running task': async (): Promise<Buffer> => call('SendStreamingMessage', params10('wait')),
};

const cases = [
  { what: 'idle subscriber', script: 'gateway', goal: true },
  { what: 'idle subscriber', script: 'sdk', goal: false },
  { what: 'idle stream of a running task', script: 'gateway', goal: false },
  { what: 'idle stream of a running task', script: 'sdk', goal: false },
] as const;

/** Open at once, twice. */
const subscribers = 4_000;

/**
 * Resident memory that one idle stream takes on each server: of the first 4,000, and of further 4,000. The first make V8's young
 * generation grow, at once and for good; what an idle stream takes itself is what a further one adds.
 */
export async function measureIdle(): Promise<Measured> {
  const figures: Figure[] = [];
  const ratios = [];
  for (const { what, script, goal } of cases) {
    const [none, first, further] = await measure(script, idleStreams[what]);
    for (const [when, before, after] of [
      [`${subscribers} at once`, none, first],
      [`${subscribers} more`, first, further],
    ] as const) {
      const kib = (key: 'rss' | 'young'): number => (after[key] - before[key]) / subscribers / 1_024;
      const scenario = `${what}, ${when}`;
      figures.push({ scenario, server: script, KiB: rounded(kib('rss')), 'young generation': rounded(kib('young')) });
      if (goal) ratios.push(ratio(`${scenario}: KiB resident`, kib('rss'), '≤ 20'));
    }
  }
  return { figures, ratios };
}

async function measure(
  script: string,
  prepare: (port: number) => Promise<Buffer>,
): Promise<[none: Usage, first: Usage, further: Usage]> {
  const server = await ServerProcess.start(script);
  try {
    const request = await prepare(server.http);
    // A server that has worked has grown its heap once and for all; that is not what a subscription costs.
    await loadHttp(server.http, greeting, { connections: 16, duration: 2_000, expect: 'ROLE_AGENT' });
    const sockets = await open(server.http, request, 1_000);
    const none = await server.usage('memory');
    sockets.push(...(await open(server.http, request, subscribers)));
    const first = await server.usage('memory');
    sockets.push(...(await open(server.http, request, subscribers)));
    const further = await server.usage('memory');
    for (const socket of sockets) socket.destroy();
    return [none, first, further];
  } finally {
    await server.stop();
  }
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

import { Agent, request } from 'node:http';
import { type ClientHttp2Session, connect } from 'node:http2';
import { expect, it } from 'vitest';
import { api } from '../../../src/core/model/a2a.ts';
import { encode } from '../../../src/wire/protobuf.ts';
import { frame } from '../../transports/grpc/raw.ts';
import { keysOf, sending, startReloading } from './support.ts';

/** Ten reloads in a row while clients call over every binding: no call fails, and no connection is closed. */

/** An agent whose file is another one after each reload. */
const module = (edition: number): string => `
export default {
  card: {
    name: 'mine', description: 'edition ${edition}', version: '${edition}', capabilities: { streaming: true },
    defaultInputModes: ['text/plain'], defaultOutputModes: ['text/plain'], skills: [],
  },
  async *execute() {
    yield { artifactUpdate: { artifact: { artifactId: 'a', parts: [{ text: 'edition ${edition}' }] } } };
    await new Promise((resolve) => setTimeout(resolve, 5));
  },
};
`;

const { key, line } = keysOf('alice', 'bob');

/** Everything changes but `demo` and alice's key. */
const configuration = (edition: number): string => `
store: "memory:"
auth: { anonymous: false, apiKeys: [${[line('alice'), ...(edition % 2 ? [line('bob')] : [])].join(', ')}] }
limits: { body: ${edition + 1}MiB, streams: ${50 + edition}, requestsPerMinute: ${100_000 + edition} }
outbound: { allow: [hooks-${edition}.internal] }
retention: { tasks: ${edition + 1}d }
defaultAgent: demo
agents:
  demo: { kind: reference }
  mine: { kind: module, path: ./mine.mjs }
  ${edition % 2 ? 'odd' : 'even'}: { kind: reference }
`;

const reloads = 10;

/** One connection of HTTP/1.1 over which calls are made one after the other. */
function connection(port: number) {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  let opened = 0;
  let closed = 0;
  const create = agent.createConnection.bind(agent);
  agent.createConnection = (options, callback) => {
    opened += 1;
    const socket = create(options, callback);
    socket?.once('close', () => {
      closed += 1;
    });
    return socket;
  };
  const call = (path: string, body: object): Promise<{ status: number; text: string }> =>
    new Promise((resolve, reject) => {
      const text = JSON.stringify(body);
      const headers = {
        'Content-Type': 'application/json',
        'Content-Length': Buffer.byteLength(text),
        'A2A-Version': '1.0',
        'X-Api-Key': key('alice'),
      };
      const req = request({ agent, port, path, method: 'POST', headers }, async (res) => {
        try {
          let answer = '';
          for await (const chunk of res) answer += chunk;
          resolve({ status: res.statusCode ?? 0, text: answer });
        } catch (thrown) {
          reject(thrown);
        }
      });
      req.on('error', reject);
      req.end(text);
    });
  return { call, counts: () => ({ opened, closed }), end: () => agent.destroy() };
}

/** A call of gRPC over a session: its status, and how many messages came. */
function grpcCall(session: ClientHttp2Session, rpc: string, words: string): Promise<{ status: string; bytes: number }> {
  const message = encode(api, 'lf.a2a.v1.SendMessageRequest', sending(words));
  const stream = session.request({
    ':method': 'POST',
    ':path': `/lf.a2a.v1.A2AService/${rpc}`,
    'content-type': 'application/grpc+proto',
    te: 'trailers',
    'x-api-key': key('alice'),
  });
  return new Promise((resolve, reject) => {
    let bytes = 0;
    let status = '';
    stream.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
    });
    stream.on('response', (headers) => {
      status = String(headers['grpc-status'] ?? status);
    });
    stream.on('trailers', (trailers) => {
      status = String(trailers['grpc-status'] ?? status);
    });
    stream.on('error', reject);
    stream.on('close', () => resolve({ status, bytes }));
    stream.end(frame(message));
  });
}

it('ten reloads under load fail no call and close no connection', async () => {
  const { port, gateway, reload, write, lines } = await startReloading(configuration(0), {
    files: { 'mine.mjs': module(0) },
  });
  const session = connect(`http://localhost:${port}`);
  let goneAway = false;
  session.on('goaway', () => {
    goneAway = true;
  });
  const connections = Array.from({ length: 6 }, () => connection(port));
  const [rpc, rest, mine, listening, ended, slow] = connections;
  if (!rpc || !rest || !mine || !listening || !ended || !slow) throw new Error('unreachable');

  let over = false;
  const failures: unknown[] = [];
  const loops: { calls: number }[] = [];
  const loop = async (call: () => Promise<boolean | string>): Promise<void> => {
    const count = { calls: 0 };
    loops.push(count);
    while (!over) {
      const fine = await call().catch(String);
      if (fine !== true) failures.push(fine);
      count.calls += 1;
      // A failure that repeats itself tells no more.
      if (failures.length > 10) return;
    }
  };
  const completed = ({ status, text }: { status: number; text: string }): boolean | string =>
    (status === 200 && text.includes('TASK_STATE_COMPLETED')) || text;
  const running = [
    loop(async () => {
      const body = { jsonrpc: '2.0', id: 1, method: 'SendMessage', params: sending('hello') };
      return completed(await rpc.call('/', body));
    }),
    loop(async () => completed(await rest.call('/demo/message:send', sending('hello')))),
    loop(async () => completed(await mine.call('/mine/message:send', sending('hello')))),
    loop(async () => {
      const { status, text } = await ended.call('/message:stream', sending('stream 10 1'));
      return (status === 200 && text.includes('chunk 10') && text.includes('TASK_STATE_COMPLETED')) || text;
    }),
    loop(async () => {
      const { status, bytes } = await grpcCall(session, 'SendMessage', 'hello');
      return (status === '0' && bytes > 0) || status;
    }),
    loop(async () => {
      const { status, bytes } = await grpcCall(session, 'SendStreamingMessage', 'stream 10 1');
      return (status === '0' && bytes > 10) || status;
    }),
  ];
  // Streams that are open all the time.
  const long = [listening.call('/message:stream', sending('wait')), slow.call('/message:stream', sending('wait'))];
  const longGrpc = grpcCall(session, 'SendStreamingMessage', 'wait');

  const progress = async (): Promise<void> => {
    const before = loops.map(({ calls }) => calls);
    while (failures.length === 0 && loops.some(({ calls }, index) => calls < (before[index] ?? 0) + 2)) {
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
  };
  for (let edition = 1; edition <= reloads; edition += 1) {
    await progress();
    write('mine.mjs', module(edition));
    const { agents, restart } = await reload(configuration(edition));
    expect([edition, agents.changed, restart]).toEqual([edition, ['mine'], []]);
  }
  await progress();
  over = true;
  await Promise.all(running);
  expect(failures).toEqual([]);
  expect(goneAway || session.closed || session.destroyed).toBe(false);
  expect(connections.map(({ counts }) => counts())).toEqual(connections.map(() => ({ opened: 1, closed: 0 })));
  expect(lines.filter(({ level }) => level === 'error' || level === 'warn')).toEqual([]);
  expect(lines.filter(({ message }) => message === 'configuration reloaded').length).toBe(reloads);

  // The streams that were open all the time end when the gateway closes, and not before.
  await gateway.close({ drainMs: 0 });
  for (const { text } of await Promise.all(long)) expect(text).toContain('The gateway is stopping');
  expect((await longGrpc).status).toBe('14');
  for (const one of connections) one.end();
  session.close();
});

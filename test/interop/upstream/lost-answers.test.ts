import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Client, connect } from '../../../src/client/index.ts';
import type { Message, Task } from '../../../src/core/model/a2a.ts';
import { openGateway } from '../../support/gateway.ts';
import { afterTest } from '../../support/peer.ts';
import { type SharedPostgres, sharedPostgres } from '../../support/postgres.ts';
import { startProxy, type TcpProxy } from '../../support/proxy.ts';
import { startBridge, type UpstreamSettings } from '../../support/upstreams.ts';
import { type ScriptedCall, startScripted, taskOf } from './scripted-agent.ts';

/**
 * The connection to an upstream agent is cut between a message and its answer, or the gateway is. The agent is asked for
 * the message: by its idempotency key, by the task's id, or in its lists. It carries out the message once in any case.
 */

let postgres: SharedPostgres;
let folder = '';
let files = 0;
beforeAll(async () => {
  postgres = await sharedPostgres();
  folder = await mkdtemp(join(tmpdir(), 'a2a-gateway-lost-answers-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const newFile = (): string => {
  files += 1;
  return `sqlite:${join(folder, `${files}.db`)}`;
};

/** How the connection is cut by which the message goes. */
type Cut = 'before it' | 'after it' | 'at its answer';
const fates = { 'before it': 'cut', 'after it': 'pass and cut', 'at its answer': 'cut at the answer' } as const;
const cuts = Object.keys(fates) as Cut[];

/** In every message: what the proxy looks for, in JSON and in protobuf alike. */
const text = 'carried out once';

/** A gateway with the reference agent, behind a proxy. */
async function startFar(): Promise<{ proxy: TcpProxy; origin: string; tasks(): Promise<Task[]> }> {
  const proxy = await startProxy(0);
  afterTest(() => proxy.close());
  const origin = `http://127.0.0.1:${proxy.port}`;
  const config = `
listen: { host: 127.0.0.1, port: 0, publicUrl: "${origin}" }
auth: { anonymous: true }
store: "memory:"
agents: { demo: { kind: reference } }
`;
  const { gateway, port } = await openGateway(config);
  afterTest(() => gateway.close({ drainMs: 0 }));
  proxy.target = port;
  return {
    proxy,
    origin,
    async tasks() {
      const client = await connect(origin, { as: 'a2a-1.0', via: 'jsonrpc' });
      try {
        return (await client.listTasks({ includeArtifacts: true })).tasks;
      } finally {
        await client.close();
      }
    },
  };
}

/** Cuts the connection of the next message. Resolves with how often the message was seen. */
function cutOnce(proxy: TcpProxy, cut: Cut): { readonly seen: number } {
  const count = { seen: 0 };
  proxy.onSent = (data) => {
    if (!data.includes(text)) return 'pass';
    count.seen += 1;
    return count.seen === 1 ? fates[cut] : 'pass';
  };
  return count;
}

async function bridgeTo(
  settings: UpstreamSettings,
  store?: string,
): Promise<{ client: Client; close(): Promise<void> }> {
  const bridge = await startBridge({ far: settings }, store);
  let closed: Promise<void> | undefined;
  const close = (): Promise<void> => {
    closed ??= bridge.close();
    return closed;
  };
  afterTest(close);
  return { client: await bridge.client('far'), close };
}

const echoOf = ({ artifacts = [] }: Task): (string | undefined)[] =>
  artifacts.flatMap(({ parts }) => parts.map((part) => part.text));

/** Waits until the task is over. */
const endOf = (client: Client, id: string): Promise<Task> =>
  expect
    .poll(() => client.getTask({ id }), { timeout: 15_000 })
    .toMatchObject({ status: { state: expect.stringMatching(/COMPLETED|FAILED/) } })
    .then(() => client.getTask({ id }));

const withKeys = [
  ['a2a-1.0', 'jsonrpc'],
  ['a2a-1.0', 'rest'],
  ['a2a-1.0', 'grpc'],
  ['a2a-1.0', 'connect'],
  ['a2a-0.3', 'jsonrpc'],
  ['a2a-0.3', 'grpc'],
  ['a2a-0.2', 'jsonrpc'],
] as const;

describe.each(withKeys)('a message to an agent that honours keys, in %s over %s', (dialect, transport) => {
  it.each(cuts)('is carried out once where the connection is cut %s', async (cut) => {
    const { proxy, origin, tasks } = await startFar();
    const url = `${origin}/as/${dialect}/.well-known/agent-card.json`;
    const { client } = await bridgeTo({ url, dialect, transport });
    const count = cutOnce(proxy, cut);
    const { task } = await client.send(text);
    expect(task?.status.state).toBe('TASK_STATE_COMPLETED');
    expect(count.seen).toBe(2);
    expect((await tasks()).map(echoOf)).toEqual([[text]]);
  });
});

/** Sends a message that the agent gets and does not answer, and stops the gateway. Resolves with the task's id. */
async function interrupt(
  proxy: TcpProxy,
  settings: UpstreamSettings,
  store: string,
  arrives: boolean,
): Promise<string> {
  const first = await bridgeTo(settings, store);
  proxy.onSent = (data) => {
    if (!data.includes(text)) return 'pass';
    if (!arrives) return 'cut';
    queueMicrotask(() => proxy.freeze());
    return 'pass';
  };
  const { task } = await first.client.send(text, { returnImmediately: true });
  await first.close();
  proxy.cut();
  proxy.thaw();
  proxy.onSent = () => 'pass';
  return task?.id ?? expect.fail('no task');
}

describe('a gateway that stops before its upstream agent has answered', () => {
  it.each([
    ['SQLite', 'a2a-1.0', 'jsonrpc'],
    ['SQLite', 'a2a-0.3', 'grpc'],
    ['SQLite', 'a2a-0.1', 'jsonrpc'],
    ['PostgreSQL', 'a2a-1.0', 'grpc'],
    ['PostgreSQL', 'a2a-0.1', 'jsonrpc'],
  ] as const)('leaves the task to the next: on %s, to an agent of %s over %s', async (kind, dialect, transport) => {
    const store = kind === 'SQLite' ? newFile() : await postgres.database();
    const { proxy, origin, tasks } = await startFar();
    const settings = { url: `${origin}/as/${dialect}/.well-known/agent-card.json`, dialect, transport };
    const id = await interrupt(proxy, settings, store, true);
    const { client } = await bridgeTo(settings, store);
    const task = await endOf(client, id);
    expect(task.status.state).toBe('TASK_STATE_COMPLETED');
    expect(echoOf(task)).toEqual([text]);
    expect((await tasks()).map(echoOf)).toEqual([[text]]);
  });

  it('sends a message that never arrived, to an agent that honours keys', async () => {
    const store = newFile();
    const { proxy, origin, tasks } = await startFar();
    const settings = { url: origin, silence: 60_000, bounds: { attempts: 1_000, pause: 1_000 } };
    const id = await interrupt(proxy, settings, store, false);
    expect(await tasks()).toEqual([]);
    const { client } = await bridgeTo(settings, store);
    expect(echoOf(await endOf(client, id))).toEqual([text]);
    expect((await tasks()).map(echoOf)).toEqual([[text]]);
  });
});

describe('an agent that lists its tasks and knows no keys', () => {
  /** Gets messages without answering; its lists have a task for each, and one of another message. */
  async function startListing(sent: (call: ScriptedCall) => void) {
    const messages: Message[] = [];
    const taskFor = (message: Message, i: number): Task =>
      taskOf('COMPLETED', {
        id: `theirs-${i}`,
        history: [{ ...message, taskId: `theirs-${i}` }],
        artifacts: [{ artifactId: 'a', parts: message.parts }],
      });
    const all = (): Task[] => [
      taskFor({ messageId: 'an-other-message-of-another-caller', role: 'ROLE_USER', parts: [{ text }] }, 0),
      ...messages.map((message, i) => taskFor(message, i + 1)),
    ];
    const agent = await startScripted({
      SendStreamingMessage: (call) => {
        messages.push(call.params.message);
        sent(call);
      },
      ListTasks: ({ result }) => result({ tasks: all(), nextPageToken: '', pageSize: 100, totalSize: all().length }),
      GetTask: ({ params, result }) => result(all().find(({ id }) => id === params.id)),
    });
    afterTest(() => agent.close());
    return agent;
  }

  it('is asked for the task whose answer was lost', async () => {
    const agent = await startListing(({ res }) => res.destroy());
    const { client } = await bridgeTo({ url: agent.url });
    const { task } = await client.send(text);
    expect(task?.status.state).toBe('TASK_STATE_COMPLETED');
    expect(echoOf(task ?? expect.fail())).toEqual([text]);
    expect(agent.calls.filter((name) => name === 'SendStreamingMessage')).toHaveLength(1);
  });

  it('is asked for it by the gateway that takes the task over', async () => {
    const agent = await startListing(() => undefined);
    const store = newFile();
    const first = await bridgeTo({ url: agent.url }, store);
    const { task: opened } = await first.client.send(text, { returnImmediately: true });
    await first.close();
    const { client } = await bridgeTo({ url: agent.url }, store);
    const task = await endOf(client, opened?.id ?? '');
    expect(task.status.state).toBe('TASK_STATE_COMPLETED');
    expect(agent.calls.filter((name) => name === 'SendStreamingMessage')).toHaveLength(1);
  });

  it('is not believed about a message with an id that others may use, too', async () => {
    const agent = await startListing(({ res }) => res.destroy());
    const { client } = await bridgeTo({ url: agent.url });
    const message = { messageId: '1', role: 'ROLE_USER' as const, parts: [{ text }] };
    await expect(client.call('SendMessage', { message })).rejects.toMatchObject({ kind: 'upstreamUnreachable' });
  });
});

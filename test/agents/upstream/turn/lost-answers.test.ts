import { join } from 'node:path';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { type Client, connect } from '../../../../src/client/index.ts';
import type { Message, SendMessageRequest, Task } from '../../../../src/core/model/a2a.ts';
import { idempotencyExtension } from '../../../../src/core/model/agent.ts';
import { A2AError } from '../../../../src/core/model/errors.ts';
import { newFolder } from '../../../support/folders.ts';
import { openGateway } from '../../../support/gateway.ts';
import { afterTest } from '../../../support/peer.ts';
import { type SharedPostgres, sharedPostgres } from '../../../support/postgres.ts';
import { startProxy, type TcpProxy } from '../../../support/proxy.ts';
import { reaches } from '../../../support/reaches.ts';
import { startBridge, type UpstreamSettings } from '../../../support/upstreams.ts';
import { ids, type ScriptedCall, startScripted, taskOf } from '../scripted-agent.ts';

/**
 * The connection to an upstream agent is cut between a message and its answer, or the gateway is. The agent is asked for
 * the message: by its idempotency key, by the task's id, or in its lists. It carries out the message once in any case.
 */

let postgres: SharedPostgres;
let folder = '';
let files = 0;
beforeAll(async () => {
  postgres = await sharedPostgres();
  folder = newFolder();
});

const newFile = (): string => {
  files += 1;
  return `sqlite:${join(folder, `${files}.db`)}`;
};

/** The point at which the message's connection is cut. */
type Cut = 'before it' | 'after it' | 'at its answer';
const fates = { 'before it': 'cut', 'after it': 'pass and cut', 'at its answer': 'cut at the answer' } as const;
const cuts = Object.keys(fates) as Cut[];

/** In every message: what the proxy looks for, in JSON and in protobuf alike. */
const text = 'carried out once';

/** A gateway with the reference agent, behind a proxy. */
async function startFar(): Promise<{ proxy: TcpProxy; origin: string; tasks(): Promise<Task[]> }> {
  const proxy = await startProxy(0);
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
const endOf = (client: Client, id: string): Promise<Task> => reaches(client, id, /COMPLETED|FAILED/);

const withKeys = [
  ['a2a-1.0', 'jsonrpc'],
  ['a2a-1.0', 'rest'],
  ['a2a-1.0', 'grpc'],
  ['a2a-1.0', 'connect'],
  ['a2a-0.3', 'jsonrpc'],
] as const;

describe.each(withKeys)('a message to an agent that honours idempotency keys, in %s over %s', (dialect, transport) => {
  // The transport alone decides where a connection breaks, so HTTP/1.1 and HTTP/2 are tried once each.
  const tried: readonly Cut[] = dialect === 'a2a-1.0' && /jsonrpc|grpc/.test(transport) ? cuts : ['at its answer'];

  it.each(tried)(
    `a message to an agent that honours idempotency keys, in ${dialect} over ${transport} is carried out once when the connection is cut %s`,
    async (cut) => {
      const { proxy, origin, tasks } = await startFar();
      const url = `${origin}/as/${dialect}/.well-known/agent-card.json`;
      const { client } = await bridgeTo({ url, dialect, transport });
      const count = cutOnce(proxy, cut);
      const { task } = await client.send(text);
      expect(task?.status.state).toBe('TASK_STATE_COMPLETED');
      expect(count.seen).toBe(2);
      expect((await tasks()).map(echoOf)).toEqual([[text]]);
    },
  );
});

/** Members of a request besides the message, which the agent receives too. */
const besides = {
  'nothing else': {},
  'modes and metadata': {
    configuration: { acceptedOutputModes: ['text/plain', 'image/png'] },
    metadata: { 'https://example.com/trip': { to: 'Bergen', seats: [1, 2] }, 7: 'seven', empty: {} },
  },
};
const added = Object.keys(besides) as (keyof typeof besides)[];

/**
 * Sends a message that the agent gets and does not answer, and stops the gateway. Resolves with the task's id. The
 * message's id is one that others may use: no list tells whose task it opened.
 */
async function interrupt(
  proxy: TcpProxy,
  settings: UpstreamSettings,
  store: string,
  arrives: boolean,
  added: keyof typeof besides = 'nothing else',
): Promise<string> {
  const first = await bridgeTo(settings, store);
  proxy.onSent = (data) => {
    if (!data.includes(text)) return 'pass';
    if (!arrives) return 'cut';
    queueMicrotask(() => proxy.freeze());
    return 'pass';
  };
  const message = { messageId: '1', role: 'ROLE_USER' as const, parts: [{ text }] };
  const { configuration, ...others }: Partial<SendMessageRequest> = besides[added];
  const request = { ...others, message, configuration: { ...configuration, returnImmediately: true } };
  const { task } = await first.client.sendMessage(request);
  await first.close();
  proxy.cut();
  proxy.thaw();
  proxy.onSent = () => 'pass';
  return task?.id ?? expect.fail('no task');
}

describe('a gateway that stops before its upstream agent has answered', () => {
  const places = [
    ['SQLite', 'a2a-1.0', 'jsonrpc'],
    ['SQLite', 'a2a-1.0', 'rest'],
    ['SQLite', 'a2a-0.1', 'jsonrpc'],
    ['PostgreSQL', 'a2a-1.0', 'grpc'],
    ['PostgreSQL', 'a2a-0.3', 'jsonrpc'],
  ] as const;
  /** The store has one form for these members, whatever dialect the agent speaks, so JSON-RPC alone tries all of them. */
  const sentTo = (transport: string): typeof added => (transport === 'jsonrpc' ? added : ['modes and metadata']);
  it.each(places.flatMap((place) => sentTo(place[2]).map((one) => [...place, one] as const)))(
    'a gateway that stops before its upstream agent has answered leaves the task to the next gateway: on %s, to an agent of %s over %s, with %s',
    async (kind, dialect, transport, added) => {
      const store = kind === 'SQLite' ? newFile() : await postgres.database();
      const { proxy, origin, tasks } = await startFar();
      const settings = { url: `${origin}/as/${dialect}/.well-known/agent-card.json`, dialect, transport };
      const id = await interrupt(proxy, settings, store, true, added);
      const { client } = await bridgeTo(settings, store);
      const task = await endOf(client, id);
      expect(task.status.state).toBe('TASK_STATE_COMPLETED');
      expect(echoOf(task)).toEqual([text]);
      expect((await tasks()).map(echoOf)).toEqual([[text]]);
    },
  );

  it.each([
    ['a2a-1.0', 'jsonrpc'],
    ['a2a-0.3', 'rest'],
    ['a2a-1.0', 'grpc'],
    ['a2a-php-0.3', 'jsonrpc'],
  ] as const)(
    'a gateway that stops before its upstream agent has answered makes the next gateway send a message that never arrived, to an agent of %s over %s that honours idempotency keys',
    async (dialect, transport) => {
      const store = newFile();
      const { proxy, origin, tasks } = await startFar();
      const url = `${origin}/as/${dialect}/.well-known/agent-card.json`;
      const settings = { url, dialect, transport, silence: 60_000, bounds: { attempts: 1_000, pause: 1_000 } };
      const id = await interrupt(proxy, settings, store, false, 'modes and metadata');
      expect(await tasks()).toEqual([]);
      const { client } = await bridgeTo(settings, store);
      expect(echoOf(await endOf(client, id))).toEqual([text]);
      expect((await tasks()).map(echoOf)).toEqual([[text]]);
    },
  );

  it('a gateway that stops before its upstream agent has answered makes the next gateway send it, although the clock of its machine is a day ahead', async () => {
    const store = await postgres.database();
    const { proxy, origin, tasks } = await startFar();
    const url = `${origin}/as/a2a-1.0/.well-known/agent-card.json`;
    const settings = { url, dialect: 'a2a-1.0', bounds: { attempts: 1_000, pause: 1_000 } } as const;
    const id = await interrupt(proxy, settings, store, false);
    const { now } = Date;
    const clock = vi.spyOn(Date, 'now').mockImplementation(() => now() + 26 * 3_600_000);
    afterTest(() => clock.mockRestore());
    const { client } = await bridgeTo(settings, store);
    expect(echoOf(await endOf(client, id))).toEqual([text]);
    expect((await tasks()).map(echoOf)).toEqual([[text]]);
  });
});

describe('the repetition of a message after a takeover', () => {
  /** An agent that does not answer a message with the text before it is repeated. It refuses another message under its key. */
  async function startKeyed() {
    const arrived = Promise.withResolvers<void>();
    const sent: { key: unknown; extensions: unknown; params: SendMessageRequest }[] = [];
    const agent = await startScripted(
      {
        SendStreamingMessage(call) {
          const { params, headers } = call;
          const { 'idempotency-key': key, 'a2a-extensions': extensions } = headers;
          const known = sent.find((one) => one.key === key);
          sent.push({ key, extensions, params });
          const { taskId: id = `task-${sent.length}`, contextId = `context-${sent.length}` } = params.message;
          const isUnanswered = params.message.parts[0].text === text && !known;
          if (isUnanswered) arrived.resolve();
          else if (known && JSON.stringify(known.params) !== JSON.stringify(params))
            call.error(-32602, 'refused', conflict);
          else {
            const asks = params.message.parts[0].text === 'ask';
            const artifacts = [{ artifactId: 'a', parts: params.message.parts }];
            call.events({ task: taskOf(asks ? 'INPUT_REQUIRED' : 'COMPLETED', { id, contextId, artifacts }) });
            call.end();
          }
        },
        GetTask: ({ params, result }) =>
          result(
            taskOf('INPUT_REQUIRED', { id: params.id, contextId: sent[0]?.params.message.contextId ?? 'context-1' }),
          ),
      },
      { streaming: true, extensions: [{ uri: idempotencyExtension }] },
    );
    afterTest(() => agent.close());
    return { agent, sent, arrived: arrived.promise };
  }
  const conflict = new A2AError('idempotencyConflict').details();
  const message = { messageId: '1', role: 'ROLE_USER' as const, parts: [{ text }] };
  const toBeAnsweredLater = { returnImmediately: true, historyLength: 3 };
  const extensions = ['https://example.com/extension'];

  it.each(['SQLite', 'PostgreSQL'])(
    'the repetition of a message after a takeover equals it, with what came besides it: on %s',
    async (kind) => {
      const store = kind === 'SQLite' ? newFile() : await postgres.database();
      const { agent, sent, arrived } = await startKeyed();
      const first = await bridgeTo({ url: agent.url }, store);
      const { configuration, metadata } = besides['modes and metadata'];
      const request = { message, metadata, configuration: { ...configuration, ...toBeAnsweredLater } };
      const { task: opened } = await first.client.sendMessage(request, { extensions });
      await arrived;
      await first.close();
      const { client } = await bridgeTo({ url: agent.url }, store);
      const task = await endOf(client, opened?.id ?? '');
      expect(task.status.state).toBe('TASK_STATE_COMPLETED');
      expect(sent[0]).toEqual({
        key: expect.any(String),
        extensions: extensions[0],
        params: { message, configuration, metadata },
      });
      expect(sent.slice(1)).toEqual([sent[0]]);
      expect(JSON.stringify(task)).not.toContain('Bergen');
    },
  );

  it('the repetition of a message after a takeover equals it where it continues a task', async () => {
    const store = newFile();
    const { agent, sent, arrived } = await startKeyed();
    const first = await bridgeTo({ url: agent.url }, store);
    const { task: question } = await first.client.send('ask');
    const { id: taskId = '' } = question ?? {};
    const { configuration } = besides['modes and metadata'];
    const request = { message: { ...message, taskId }, configuration: { ...configuration, ...toBeAnsweredLater } };
    await first.client.sendMessage(request, { extensions });
    await arrived;
    await first.close();
    const { client } = await bridgeTo({ url: agent.url }, store);
    const task = await endOf(client, taskId);
    expect(echoOf(task)).toEqual([text]);
    expect(sent[1]?.params.configuration).toEqual(configuration);
    expect(sent.slice(2)).toEqual([sent[1]]);
  });

  it('the repetition of a message after a takeover is not tried for a later message of a task that the agent has not named', async () => {
    const store = newFile();
    const { agent, sent, arrived } = await startKeyed();
    const first = await bridgeTo({ url: agent.url }, store);
    const { task: opened } = await first.client.sendMessage({ message, configuration: toBeAnsweredLater });
    await arrived;
    const { id: taskId = '' } = opened ?? {};
    const later = { ...message, messageId: '2', parts: [{ text: 'later' }], taskId };
    await first.client.sendMessage({ message: later, configuration: toBeAnsweredLater });
    await first.close();
    const { client } = await bridgeTo({ url: agent.url }, store);
    const task = await endOf(client, taskId);
    expect(task.status.state).toBe('TASK_STATE_FAILED');
    expect(task.status.message?.parts[0]?.text).toMatch(/whether the agent works on this task is unknown/);
    expect(sent).toHaveLength(1);
  });

  it('the repetition of a message after a takeover is known by the agent where the gateway has learned of its conversation meanwhile', async () => {
    const store = newFile();
    const { agent, sent, arrived } = await startKeyed();
    const first = await bridgeTo({ url: agent.url }, store);
    const { task: opened } = await first.client.sendMessage({ message, configuration: toBeAnsweredLater });
    await arrived;
    const { contextId = '' } = opened ?? {};
    await first.client.send('another', { contextId });
    await first.close();
    const { client } = await bridgeTo({ url: agent.url }, store);
    const task = await endOf(client, opened?.id ?? '');
    expect(echoOf(task)).toEqual([text]);
    expect(sent.at(-1)).toEqual(sent[0]);
  });
});

/** The ways in which an agent loses the answer to a message: it gives none, or breaks off in the middle of it. */
const losses = {
  'after the message': () => undefined,
  'in the middle of the answer': ({ res }: ScriptedCall) => {
    res.writeHead(200, { 'content-type': 'text/event-stream' });
    res.write('data: {"jsonrpc":"2.0",');
  },
} as const;
const losing = Object.keys(losses) as (keyof typeof losses)[];

/** Members by which the gateway recognizes the task of a message in the agent's lists. */
const marks = {
  'by its conversation': { messageId: '1', contextId: ids.contextId },
  'by the id of the message': { messageId: 'an-id-that-no-other-caller-uses' },
} as const;
const known = Object.keys(marks) as (keyof typeof marks)[];

describe('an agent that lists its tasks and has no idempotency keys', () => {
  /** Its lists have a task for each message that it got, and one of another caller's. */
  async function startListing(lose: (call: ScriptedCall) => void) {
    const tasks: Task[] = [];
    const carryOut = (message: Message, id: string, contextId: string): Task => {
      const task = taskOf('COMPLETED', {
        id,
        contextId,
        history: [{ ...message, taskId: id, contextId }],
        artifacts: [{ artifactId: 'a', parts: message.parts }],
      });
      tasks.push(task);
      return task;
    };
    for (const { messageId } of Object.values(marks)) {
      carryOut({ messageId, role: 'ROLE_USER', parts: [{ text: 'of another caller' }] }, messageId, 'another');
    }
    const agent = await startScripted({
      SendStreamingMessage(call) {
        const { message } = call.params;
        const task = carryOut(message, `theirs-${tasks.length}`, message.contextId ?? ids.contextId);
        if (message.parts[0]?.text === text) lose(call);
        else {
          call.events({ task });
          call.end();
        }
      },
      ListTasks({ params, result }) {
        const found = tasks.filter(({ contextId }) => !params.contextId || contextId === params.contextId);
        result({ tasks: found, nextPageToken: '', pageSize: 100, totalSize: found.length });
      },
      GetTask: ({ params, result }) => result(tasks.find(({ id }) => id === params.id)),
    });
    afterTest(() => agent.close());
    return agent;
  }

  const sent = ({ calls }: { readonly calls: readonly string[] }): number =>
    calls.filter((name) => name === 'SendStreamingMessage').length;

  /** A message, in a conversation that the agent knows where that is how its task is known. */
  async function messageTo(client: Client, known: keyof typeof marks): Promise<Message> {
    const { messageId } = marks[known];
    const message = { messageId, role: 'ROLE_USER' as const, parts: [{ text }] };
    if (known === 'by the id of the message') return message;
    const { task } = await client.send('before');
    return { ...message, contextId: task?.contextId ?? expect.fail('no conversation') };
  }

  describe.each(known)('which knows a task %s', (known) => {
    it.each(losing)(
      `an agent that lists its tasks and knows a task ${known} is asked for the task when the connection is cut %s`,
      async (loss) => {
        const agent = await startListing((call) => {
          losses[loss](call);
          setTimeout(() => call.res.destroy(), 20);
        });
        const { client } = await bridgeTo({ url: agent.url });
        const message = await messageTo(client, known);
        const before = sent(agent);
        const { task } = await client.sendMessage({ message });
        expect(task?.status.state).toBe('TASK_STATE_COMPLETED');
        expect(echoOf(task ?? expect.fail())).toEqual([text]);
        expect(sent(agent)).toBe(before + 1);
      },
    );

    it.each(losing)(
      `an agent that lists its tasks and knows a task ${known} is asked by the gateway that takes the task over from one that was cut off %s`,
      async (loss) => {
        const arrived = Promise.withResolvers<void>();
        const agent = await startListing((call) => {
          losses[loss](call);
          arrived.resolve();
        });
        const store = newFile();
        const first = await bridgeTo({ url: agent.url }, store);
        const message = await messageTo(first.client, known);
        const before = sent(agent);
        const { configuration, metadata } = besides['modes and metadata'];
        const request = { message, metadata, configuration: { ...configuration, returnImmediately: true } };
        const { task: opened } = await first.client.sendMessage(request);
        await arrived.promise;
        await first.close();
        const { client } = await bridgeTo({ url: agent.url }, store);
        const task = await endOf(client, opened?.id ?? '');
        expect(task.status.state).toBe('TASK_STATE_COMPLETED');
        expect(echoOf(task)).toEqual([text]);
        expect(sent(agent)).toBe(before + 1);
      },
    );
  });

  it('an agent that lists its tasks and has no idempotency keys does not identify the task by a message id that other callers may use too', async () => {
    const agent = await startListing(({ res }) => res.destroy());
    const { client } = await bridgeTo({ url: agent.url });
    const message = { messageId: '1', role: 'ROLE_USER' as const, parts: [{ text }] };
    await expect(client.call('SendMessage', { message })).rejects.toMatchObject({ kind: 'upstreamUnreachable' });
  });
});

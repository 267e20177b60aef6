import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { type AddressInfo, connect as connectTo, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { createReferenceAgent } from '../../../src/agents/reference.ts';
import { type Client, connect, type DialectName } from '../../../src/client/index.ts';
import { parseConfig } from '../../../src/config/parse.ts';
import type { Message, Part, StreamResponse, Task } from '../../../src/core/model/a2a.ts';
import type { Agent } from '../../../src/core/model/agent.ts';
import { fold } from '../../../src/core/model/fold.ts';
import { createGateway, type Gateway } from '../../../src/gateway/compose/gateway.ts';
import { silent } from '../../support/core.ts';
import { type Bridge, hasty, startBridge } from '../../support/upstreams.ts';

/** One gateway in front of another: upstream agents of every generation, over every binding, streaming and polled. */

const reference = createReferenceAgent();
/** The reference agent as one that only answers. */
const mute: Agent = {
  ...reference,
  card: { ...reference.card, capabilities: { streaming: false, pushNotifications: false } },
};

interface Origin {
  readonly url: string;
  readonly port: number;
  readonly gateway: Gateway;
}

/** The gateway whose agents are the upstreams. */
async function startOrigin(store = 'memory:', port = 0, publicUrl?: string): Promise<Origin> {
  const shown = publicUrl === undefined ? '' : `, publicUrl: "${publicUrl}"`;
  const text = `listen: { host: localhost, port: ${port}${shown} }\nstore: "${store}"\nauth: { anonymous: true }\n`;
  const gateway = createGateway(parseConfig(text, { file: '/origin.yaml' }), { logger: silent, agents: { mute } });
  return { gateway, ...(await gateway.listen()) };
}

const pairs = [
  ['a2a-1.0', 'jsonrpc'],
  ['a2a-1.0', 'rest'],
  ['a2a-1.0', 'grpc'],
  ['a2a-1.0', 'connect'],
  ['a2a-0.3', 'jsonrpc'],
  ['a2a-0.3', 'rest'],
  ['a2a-0.3', 'grpc'],
  ['a2a-0.2', 'jsonrpc'],
  ['a2a-0.1', 'jsonrpc'],
  ['agentvault-0.2', 'jsonrpc'],
  ['a2a-php-0.3', 'jsonrpc'],
] as const;

/** gRPC of 0.3 has no place for an agent's name: only the agent at the root is listed there. */
const pairsOf = (agent: string) =>
  pairs.filter(([name, via]) => agent === 'demo' || name !== 'a2a-0.3' || via !== 'grpc');

const nameOf = (agent: string, dialect: string, via: string): string =>
  `${agent}-${dialect}-${via}`.replaceAll('.', '-');

/** The way to a port, which can be cut. */
async function startWay(): Promise<{
  url: string;
  leadTo(port: number): void;
  cut(ms: number): void;
  close(): Promise<void>;
}> {
  const sockets = new Set<Socket>();
  let target = 0;
  let open = true;
  const server = createServer((near) => {
    if (!open) {
      near.destroy();
      return;
    }
    const far = connectTo(target, 'localhost');
    for (const socket of [near, far]) {
      sockets.add(socket);
      socket.on('error', () => undefined).on('close', () => sockets.delete(socket));
    }
    near.pipe(far).pipe(near);
    near.on('close', () => far.destroy());
    far.on('close', () => near.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, 'localhost', resolve));
  return {
    url: `http://localhost:${(server.address() as AddressInfo).port}`,
    leadTo: (port) => {
      target = port;
    },
    cut: (ms) => {
      open = false;
      for (const socket of sockets) socket.destroy();
      setTimeout(() => {
        open = true;
      }, ms);
    },
    close: async () => {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

const folder = await mkdtemp(join(tmpdir(), 'upstream-'));
afterAll(() => rm(folder, { recursive: true, force: true }));

/** What is closed after each test, the last first. */
const opened: { close(options?: { drainMs?: number }): Promise<void> }[] = [];
afterEach(async () => {
  for (const one of opened.splice(0).reverse()) await one.close({ drainMs: 0 });
});

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

async function until<T>(look: () => Promise<T | undefined>): Promise<T> {
  for (let tries = 0; tries < 400; tries++) {
    const found = await look().catch(() => undefined);
    if (found !== undefined) return found;
    await pause(20);
  }
  throw new Error('it did not come to that');
}

const texts = (messages: readonly Message[] = []): unknown[] => messages.map(({ role, parts }) => [role, parts]);

/** Parts with texts in one, as dialects without chunks have them. */
const joined = (parts: readonly Part[]): unknown[] => {
  const text = parts.flatMap((part) => part.text ?? []).join('');
  const others = parts.filter((part) => part.text === undefined);
  return text === '' ? others : [{ text }, ...others];
};

/** What a task is, whatever its parts are called. */
const essence = ({ status, artifacts = [], history }: Task): object => ({
  state: status.state,
  said: status.message?.parts,
  artifacts: artifacts.map(({ name, parts }) => ({ name, parts: joined(parts) })),
  history: texts(history),
});

async function follow(events: AsyncIterable<StreamResponse>): Promise<{ events: StreamResponse[]; task: Task }> {
  const all: StreamResponse[] = [];
  let task: Task | undefined;
  for await (const event of events) {
    all.push(event);
    if (!event.message) task = fold(task, structuredClone(event));
  }
  return { events: all, task: task as Task };
}

/** Ids of every task and context in a value, whatever it is. */
const idsIn = (value: unknown): string => JSON.stringify(value);

describe('one gateway in front of another', () => {
  let origin: Origin;
  let bridge: Bridge;
  let direct: Client;
  beforeAll(async () => {
    origin = await startOrigin();
    direct = await connect(`${origin.url}/demo`, { as: 'a2a-1.0', via: 'jsonrpc' });
    const agents = Object.fromEntries(
      ['demo', 'mute'].flatMap((agent) =>
        pairsOf(agent).map(([dialect, transport]) => [
          nameOf(agent, dialect, transport),
          { url: `${origin.url}/${agent}/as/${dialect}/.well-known/agent-card.json`, dialect, transport },
        ]),
      ),
    );
    bridge = await startBridge(agents);
    await until(async () => {
      const { agents: states } = (await (await fetch(`${bridge.origin}/readyz`)).json()) as {
        agents: Record<string, { state: string }>;
      };
      return Object.values(states).every(({ state }) => state === 'ok') ? true : undefined;
    });
  });
  afterAll(async () => {
    await bridge?.close();
    await direct?.close();
    await origin?.gateway.close({ drainMs: 0 });
  });

  /** Names for which a state of v1 has no word of its own. */
  const lessStates: readonly DialectName[] = ['a2a-0.1', 'agentvault-0.2'];

  describe.each(['demo', 'mute'])('%s', (agent) => {
    describe.each(pairsOf(agent))('in %s over %s', (dialect, via) => {
      const client = () => bridge.client(nameOf(agent, dialect, via));

      it('does as the agent itself does', async () => {
        const there = await client();
        // AgentVault knows files by URL only.
        const texts = ['hello', 'stream 4 2', 'fail', 'data', ...(dialect === 'agentvault-0.2' ? [] : ['file'])];
        for (const text of texts) {
          const [own, lifted] = [await follow(direct.sendStream(text)), await follow(there.sendStream(text))];
          expect(essence(lifted.task), text).toEqual(essence(own.task));
          expect(essence(await there.getTask({ id: lifted.task.id })), text).toEqual(essence(own.task));
        }
        const { task } = await there.send('slow 20');
        expect(task?.status.state).toBe('TASK_STATE_COMPLETED');
        expect(task?.artifacts?.[0]?.parts).toEqual([{ text: 'Done after 20 ms.' }]);
        const rejected = (await there.send('reject')).task;
        expect(rejected?.status.message?.parts).toEqual([{ text: 'Rejected, as asked.' }]);
      });

      it('answers directly where the dialect can', async () => {
        const answer = await (await client()).send('say hi there');
        if (!lessStates.includes(dialect)) expect(answer.message?.parts).toEqual([{ text: 'hi there' }]);
        else
          expect(answer.task?.status.message?.parts ?? answer.task?.history?.at(-1)?.parts).toEqual([
            { text: 'hi there' },
          ]);
      });

      it('asks, and is answered', async () => {
        const there = await client();
        const asked = await follow(there.sendStream('ask'));
        expect(asked.task.status.state).toBe('TASK_STATE_INPUT_REQUIRED');
        expect(asked.task.status.message?.parts).toEqual([{ text: 'What is your name?' }]);
        const { id: taskId } = asked.task;
        const answered = (await there.send('Ada', { taskId })).task as Task;
        expect(answered.status.state).toBe('TASK_STATE_COMPLETED');
        expect(answered.artifacts?.map(({ parts }) => parts)).toEqual([[{ text: 'Hello, Ada' }]]);
        expect(texts(answered.history)).toEqual([
          ['ROLE_USER', [{ text: 'ask' }]],
          ['ROLE_AGENT', [{ text: 'What is your name?' }]],
          ['ROLE_USER', [{ text: 'Ada' }]],
        ]);
        const late = there.send('more', { taskId });
        await expect(late).rejects.toMatchObject({ kind: 'unsupportedOperation' });
      });

      it('is canceled there too', async () => {
        const there = await client();
        const task = (await there.send('wait', { returnImmediately: true })).task as Task;
        await until(async () => {
          const { status } = await there.getTask({ id: task.id });
          return status.state === 'TASK_STATE_WORKING' ? true : undefined;
        });
        const canceled = await there.cancelTask({ id: task.id });
        expect(canceled.status.state).toBe('TASK_STATE_CANCELED');
        const own = await until(async () => {
          const { tasks } = await direct.listTasks({ status: 'TASK_STATE_WORKING' });
          return tasks.length === 0 ? tasks : undefined;
        });
        expect(own).toEqual([]);
      });
    });
  });

  it('keeps a conversation together there, and tells neither side the ids of the other', async () => {
    for (const [dialect, via] of pairs.filter(([name]) => name.startsWith('a2a-1') || name === 'a2a-0.3')) {
      const there = await bridge.client(nameOf('demo', dialect, via));
      const contextId = `mine-${dialect}-${via}`;
      const one = (await there.send('hello', { contextId })).task as Task;
      const two = (await there.send('again', { contextId })).task as Task;
      expect([one.contextId, two.contextId]).toEqual([contextId, contextId]);
      const { tasks } = await direct.listTasks({ includeArtifacts: true });
      const [again, hello] = tasks;
      expect([again?.history?.[0]?.parts, hello?.history?.[0]?.parts]).toEqual([
        [{ text: 'again' }],
        [{ text: 'hello' }],
      ]);
      expect(again?.contextId).toBe(hello?.contextId);
      for (const own of [one.id, two.id, contextId]) expect(idsIn(tasks)).not.toContain(own);
      for (const task of [again, hello]) {
        expect(idsIn([one, two])).not.toContain(task?.id);
        expect(idsIn([one, two])).not.toContain(task?.contextId);
      }
    }
  });
});

describe('after a crash or a lost connection', () => {
  async function bridges(name: string, origin: string, dialect: DialectName): Promise<() => Promise<Bridge>> {
    const store = `sqlite:${join(folder, `${name}-bridge.db`)}`;
    const settings = { url: `${origin}/demo/as/${dialect}/.well-known/agent-card.json`, dialect };
    let now: Bridge | undefined;
    opened.push({ close: async () => now?.close() });
    return async () => {
      await now?.close();
      now = undefined;
      now = await startBridge({ far: settings }, store);
      return now;
    };
  }

  const ended = (client: Client, id: string): Promise<Task> =>
    until(async () => {
      const task = await client.getTask({ id });
      return ['COMPLETED', 'FAILED', 'CANCELED'].some((state) => task.status.state.endsWith(state)) ? task : undefined;
    });

  it.each(['a2a-1.0', 'a2a-0.3', 'a2a-0.1', 'agentvault-0.2'] as const)(
    'a gateway that comes back goes on with its tasks in %s',
    async (dialect) => {
      const name = `back-${dialect}`;
      const origin = await startOrigin();
      opened.push(origin.gateway);
      const start = await bridges(name, origin.url, dialect);
      const before = await (await start()).client('far');
      const chunks: unknown[] = [];
      let id = '';
      for await (const event of before.sendStream('stream 40 15')) {
        id ||= event.task?.id ?? '';
        if (event.artifactUpdate) chunks.push(event.artifactUpdate);
        if (chunks.length === (dialect === 'agentvault-0.2' ? 1 : 5)) break;
      }
      const after = await (await start()).client('far');
      const task = await ended(after, id);
      const direct = await connect(`${origin.url}/demo`, { as: 'a2a-1.0', via: 'jsonrpc' });
      opened.push(direct);
      const [own] = (await direct.listTasks({ includeArtifacts: true })).tasks;
      const parts = task.artifacts?.flatMap((artifact) => artifact.parts.map(({ text }) => text)).join('');
      expect(parts).toBe(own?.artifacts?.[0]?.parts.map(({ text }) => text).join(''));
      expect(texts(task.history)).toEqual(texts(own?.history));
      expect(task.status.state).toBe('TASK_STATE_COMPLETED');
    },
  );

  it('events during a lost connection to the agent are reported at once when it is back', async () => {
    const way = await startWay();
    opened.push(way);
    const origin = await startOrigin('memory:', 0, way.url);
    opened.push(origin.gateway);
    way.leadTo(origin.port);
    const bridge = await startBridge({ far: { url: `${way.url}/demo`, bounds: { ...hasty, attempts: 20 } } });
    opened.push(bridge);
    const there = await bridge.client('far');
    const events: StreamResponse[] = [];
    for await (const event of there.sendStream('stream 40 15')) {
      events.push(event);
      if (events.length === 6) way.cut(200);
    }
    const task = events.reduce((known: Task | undefined, event) => fold(known, structuredClone(event)), undefined);
    const direct = await connect(`http://localhost:${origin.port}/demo`, { as: 'a2a-1.0', via: 'jsonrpc' });
    opened.push(direct);
    const [own] = (await direct.listTasks({ includeArtifacts: true })).tasks;
    expect(task?.artifacts?.[0]?.parts).toEqual(own?.artifacts?.[0]?.parts);
    expect(essence(task as Task)).toEqual(essence(own as Task));
    // At once, but for what happens between the look at the task and the new stream.
    expect([2, 3]).toContain(events.filter((event) => event.task).length);
    expect((await there.getTask({ id: task?.id ?? '' })).artifacts).toEqual(task?.artifacts);
  });

  it('an agent that is gone for good fails the task, which says why; new messages are refused', async () => {
    const child = fork(fileURLToPath(new URL('../tasks/gateway-process.ts', import.meta.url)), ['memory:'], {
      stdio: 'inherit',
    });
    opened.push({ close: async () => void child.kill('SIGKILL') });
    const [{ port }] = (await once(child, 'message')) as [{ port: number }];
    const start = await bridges('gone', `http://127.0.0.1:${port}`, 'a2a-1.0');
    const bridge = await start();
    const there = await bridge.client('far');
    const events: StreamResponse[] = [];
    for await (const event of there.sendStream('wait')) {
      events.push(event);
      if (events.length === 2) child.kill('SIGKILL');
    }
    const last = events.at(-1)?.statusUpdate?.status;
    expect(last?.state).toBe('TASK_STATE_FAILED');
    expect(last?.message?.parts[0]?.text).toMatch(
      /^The upstream agent cannot be reached at the moment: .*connection refused/,
    );
    expect(last?.message?.parts[0]?.text).not.toMatch(/127\.0\.0\.1|localhost|:\d{4}/);
    await expect(there.send('hello')).rejects.toMatchObject({ kind: 'upstreamUnreachable' });
    const ready = await fetch(`${bridge.origin}/readyz`);
    expect(ready.status).toBe(200);
    expect(await ready.json()).toMatchObject({ agents: { far: { state: 'unreachable' }, own: { state: 'ok' } } });
  });

  it('a gateway starts while the agent is down, says so in its card, and serves it when it is there', async () => {
    const { port, gateway } = await startOrigin();
    await gateway.close({ drainMs: 0 });
    const url = `http://localhost:${port}`;
    const start = await bridges('down', url, 'a2a-1.0');
    const bridge = await start();
    const card = async () =>
      (await (await fetch(`${bridge.origin}/far/.well-known/agent-card.json`)).json()) as {
        name: string;
        description: string;
      };
    expect(await card()).toMatchObject({ name: 'far', description: expect.stringContaining('not been read yet') });
    // Why, and where it should be, is not for everybody who reads cards.
    const ready = async (): Promise<string> => (await fetch(`${bridge.origin}/readyz`)).text();
    expect(await until(async () => ((await ready()).includes('cannot reach') ? true : undefined))).toBe(true);
    opened.push((await startOrigin('memory:', port)).gateway);
    const there = await bridge.client('far');
    expect((await there.send('hello')).task?.status.state).toBe('TASK_STATE_COMPLETED');
    expect(await card()).toMatchObject({ name: 'Reference agent', capabilities: { streaming: true } });
  });
});

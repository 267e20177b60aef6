import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { createReferenceAgent } from '../../src/agents/reference.ts';
import { type Client, connect, type Task } from '../../src/client/index.ts';
import { paced } from '../support/pace.ts';
import { afterTest } from '../support/peer.ts';
import { query, sharedPostgres, silence, unsilence } from '../support/postgres.ts';
import { numbers, type Replica, type ReplicaOptions, see, startReplica } from '../support/replicas.ts';
import { callers, counter, type Runs, silent } from './agents.ts';

let url: string;
beforeAll(sharedPostgres);
beforeEach(async () => {
  url = await (await sharedPostgres()).database();
});

const soon = { timeout: paced(20_000), interval: 100 };

const start = (name: string, options: ReplicaOptions): Promise<Replica> => startReplica(url, name, options);

async function begin(client: Client, text: string): Promise<string> {
  const { task } = await client.send(text, { returnImmediately: true });
  if (!task) throw new TypeError('no task');
  return task.id;
}

const chunks = (from: number, to: number): string[] => numbers(from, to).map((i) => `chunk ${i}`);
const textsOf = (task: Task): string[] =>
  (task.artifacts ?? []).flatMap(({ parts }) => parts.map(({ text = '' }) => text));

/** A gateway that can be killed. */
async function startChild(): Promise<{ readonly child: ChildProcess; readonly url: string }> {
  const script = fileURLToPath(new URL('child.ts', import.meta.url));
  const child = spawn(process.execPath, [script, url], { stdio: ['ignore', 'pipe', 'inherit'] });
  afterTest(() => child.kill('SIGKILL'));
  const [line] = await once(createInterface({ input: child.stdout }), 'line');
  return { child, url: line };
}

async function kill(child: ChildProcess): Promise<void> {
  child.kill('SIGKILL');
  await once(child, 'exit');
  await silence(url, 'child');
}

test('a gateway that is killed is not missed', async () => {
  const two = await start('two', { agents: { counter: counter() } });
  const { child, url: other } = await startChild();
  const [here, there] = [await two.client(undefined, 'counter'), await connect(`${other}/counter`)];
  afterTest(() => there.close());

  const id = await begin(there, '40 20');
  const canceled = await begin(there, '1000 50');
  const { task: asked } = await there.send('ask');
  const watching = see(here.events('SubscribeToTask', { id }, { after: 0 }));
  const { id: continued } = asked as Task;
  await there.send('10 150', { taskId: continued, returnImmediately: true });
  const waiting = see(here.events('SubscribeToTask', { id: continued }, { after: 0 }));
  const before = await see(there.events('SubscribeToTask', { id }, { after: 0 }), ({ texts }) => texts.length === 10);
  await kill(child);

  await here.cancelTask({ id: canceled });
  const { seqs, texts, states } = await watching;
  expect(seqs).toEqual(numbers(1, seqs.length));
  expect(texts.slice(0, 10)).toEqual(before.texts);
  expect(texts.slice(-40)).toEqual(chunks(1, 40));
  expect(states.at(-1)).toBe('COMPLETED');
  const done = await here.getTask({ id });
  expect(textsOf(done)).toEqual(chunks(1, 40));
  expect(done.status.message?.parts[0]?.text).toBe('from the beginning');
  expect(done.history?.filter(({ role }) => role === 'ROLE_USER')).toHaveLength(1);
  expect((await waiting).texts.slice(-10)).toEqual(chunks(1, 10));
  const answered = await here.getTask({ id: continued });
  expect(answered.status.message?.parts[0]?.text).toBe('after TASK_STATE_INPUT_REQUIRED');
  expect(answered.history?.filter(({ role }) => role === 'ROLE_USER')).toHaveLength(2);
});

test('calls of agents outlive the gateway: none is made twice, and their hops are counted on', async () => {
  const config = 'limits: { root: { reentries: 9 } }\n';
  const two = await start('two', { agents: callers(), config });
  const { child, url: other } = await startChild();
  const clientOf = (name: string): Promise<Client> => two.client(undefined, name);
  const statesOf = async (name: string): Promise<string[]> =>
    (await (await clientOf(name)).listTasks({})).tasks.map(({ status }) => status.state.slice('TASK_STATE_'.length));
  const begun = async (name: string): Promise<string> => {
    const client = await connect(`${other}/${name}`);
    afterTest(() => client.close());
    return begin(client, 'go');
  };
  const [planned, circled] = [await begun('planner'), await begun('circle')];
  await vi.waitFor(async () => {
    expect((await statesOf('worker')).toSorted()).toEqual(['COMPLETED', 'WORKING']);
    expect(await statesOf('circle')).toEqual(Array(5).fill('WORKING'));
  }, soon);
  await kill(child);

  const textOf = async (name: string, id: string): Promise<string[]> => {
    const client = await clientOf(name);
    await see(client.events('SubscribeToTask', { id }, { after: 0 }));
    return textsOf(await client.getTask({ id }));
  };
  expect(await textOf('planner', planned)).toEqual([`quick by ${child.pid},slow by ${process.pid}`]);
  expect(await statesOf('worker')).toEqual(['COMPLETED', 'COMPLETED']);
  expect(await textOf('circle', circled)).toEqual([expect.stringMatching('passed more than 8 agents')]);
  expect(await statesOf('circle')).toEqual(Array(9).fill('COMPLETED'));
});

test('a gateway that was only paused follows those who went on with its tasks', async () => {
  const runs: Runs = { begun: 0, aborted: 0 };
  const one = await start('one', { agents: { counter: counter(runs) } });
  const two = await start('two', { agents: { counter: counter() } });
  const [here, there] = [await one.client(undefined, 'counter'), await two.client(undefined, 'counter')];
  const ids = await Promise.all(['100 20', '10 900'].map((text) => begin(here, text)));
  const watching = [here, there].flatMap((client) =>
    ids.map((id) => see(client.events('SubscribeToTask', { id }, { after: 0 }))),
  );
  const blocked = here.send('20 150');
  await vi.waitFor(() => expect(runs.begun).toBe(3));
  await silence(url, 'one');
  // What needs the gateway that works on a task does not wait for the next look at who is dead.
  await there.send('3 1', { taskId: ids[1] ?? '' });
  await unsilence(url);
  await vi.waitFor(() => expect(runs.aborted).toBe(3));
  const all = await Promise.all(watching);
  for (const { seqs, states } of all) {
    expect(seqs.at(0)).toBe(1);
    expect(new Set(seqs).size).toBe(seqs.length);
    expect(seqs).toEqual(seqs.toSorted((a, b) => a - b));
    expect(states.at(-1)).toBe('COMPLETED');
  }
  expect(all[0]).toEqual(all[2]);
  expect(all[1]).toEqual(all[3]);
  expect((await blocked).task?.status.state).toBe('TASK_STATE_COMPLETED');
  for (const id of ids) {
    const logged = await query(url, 'select seq from task_event where key = $1 order by seq', [id]);
    expect(logged.map(({ seq }) => Number(seq))).toEqual(numbers(1, logged.length));
    expect(await here.getTask({ id })).toEqual(await there.getTask({ id }));
  }
  expect(runs).toEqual({ begun: 3, aborted: 3 });
});

test('a gateway that was only paused works no more on tasks whose heirs have said nothing yet', async () => {
  const runs: Runs = { begun: 0, aborted: 0 };
  const one = await start('one', { agents: { silent: silent(runs) } });
  const two = await start('two', { agents: { silent: silent({ begun: 0, aborted: 0 }) } });
  const [here, there] = [await one.client(undefined, 'silent'), await two.client(undefined, 'silent')];
  const ids = [await begin(here, 'a'), await begin(here, 'b')];
  const watching = see(here.events('SubscribeToTask', { id: ids[0] ?? '' }));
  await vi.waitFor(() => expect(runs.begun).toBe(2));
  await silence(url, 'one');
  await there.cancelTask({ id: ids[1] ?? '' });
  await unsilence(url);
  await vi.waitFor(() => expect(runs.aborted).toBe(2));
  expect((await here.getTask({ id: ids[0] ?? '' })).status.state).toBe('TASK_STATE_WORKING');
  await here.cancelTask({ id: ids[0] ?? '' });
  expect((await watching).states.at(-1)).toBe('CANCELED');
});

test('tasks of upstream agents are followed on, and not canceled there', async () => {
  const upstream = await startReplica('memory:', 'upstream', { agents: { agent: createReferenceAgent() } });
  const config = `agents:\n  front: { kind: upstream, url: "${upstream.url}/agent" }\n`;
  const [one, two] = [await start('one', { config }), await start('two', { config })];
  const [here, there] = [await one.client(), await two.client()];
  const id = await begin(here, 'stream 150 40');
  const watching = [here, there].map((client) => see(client.events('SubscribeToTask', { id }, { after: 0 })));
  const others = await Promise.all(['wait', 'wait'].map((text) => begin(here, text)));
  const cancel = (id = ''): Promise<Task> => there.cancelTask({ id });
  for (const other of others) {
    await vi.waitFor(async () => expect((await there.getTask({ id: other })).status.state).toBe('TASK_STATE_WORKING'));
  }
  await cancel(others[0]);
  await silence(url, 'one');
  // What needs the gateway that works on a task does not wait for the next look at who is dead.
  await cancel(others[1]);
  // A row that the other one is just writing is taken over with the next look.
  const owner = async (): Promise<unknown> =>
    (await query(url, 'select owner from task where key = $1', [id]))[0]?.owner;
  await expect.poll(owner).toMatch(/^two/);
  await unsilence(url);
  for (const { seqs, states } of await Promise.all(watching)) {
    expect(seqs).toEqual(numbers(1, seqs.length));
    expect(states.at(-1)).toBe('COMPLETED');
  }
  expect(textsOf(await here.getTask({ id }))).toEqual(chunks(1, 150));
  const itself = await connect(`${upstream.url}/agent`);
  afterTest(() => itself.close());
  const { tasks } = await itself.listTasks({});
  expect(tasks.map(({ status }) => status.state).toSorted()).toEqual(
    ['CANCELED', 'CANCELED', 'COMPLETED'].map((word) => `TASK_STATE_${word}`),
  );
});

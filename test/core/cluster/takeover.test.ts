import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { createReferenceAgent } from '../../../src/agents/reference.ts';
import { type Client, connect, type Task } from '../../../src/client/index.ts';
import { paced } from '../../support/pace.ts';
import { afterTest } from '../../support/peer.ts';
import { query, sharedPostgres, silence, unsilence } from '../../support/postgres.ts';
import { reaches } from '../../support/reaches.ts';
import { numbers, type Replica, type ReplicaOptions, see, startReplica } from '../../support/replicas.ts';
import { callers } from './agents.ts';

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
    await reaches(there, other, 'WORKING');
  }
  await cancel(others[0]);
  await silence(url, 'one');
  // A call that needs the task's owner takes the task over at once, without waiting for the next check for dead replicas.
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

/**
 * Some replicas of a fleet, without HTTP: each has a store, and follows logs and repeats jobs as a gateway does. Each writes to a
 * task of its own, and listens to that of the next replica. The arguments: the store's URL, the servers of notifications or
 * '', how many replicas there are, the first one here, and how far it is to the next one here.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { syncLogs } from '../../../src/core/cluster/log-sync.ts';
import { maintain } from '../../../src/core/cluster/maintenance.ts';
import { LiveTasks } from '../../../src/core/tasks/live-tasks.ts';
import { createStore } from '../../../src/stores/index.ts';
import { logged } from '../../contract/store-fixtures.ts';
import { silent } from '../../support/core.ts';
import { report } from './child.ts';

/** An event, by the number of its task and its position, and when it was acknowledged or seen: milliseconds on this machine's clock. */
export type Moment = readonly [task: number, seq: number, at: number];

/** Events that the replicas have written since they were last asked, and all events that they have seen. */
export interface FleetWritten {
  readonly written: readonly Moment[];
}
export interface FleetSeen {
  readonly seen: readonly Moment[];
}

const [url = '', notifications = '', count = '1', first = '0', step = '1'] = process.argv.slice(2);
/** A clock that all processes share. */
const now = (): number => Number(process.hrtime.bigint()) / 1e6;
const idOf = (n: number): string => `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`;

let written: Moment[] = [];
const seen: Moment[] = [];
const replicas: Awaited<ReturnType<typeof open>>[] = [];
for (let n = Number(first); n < Number(count); n += Number(step)) replicas.push(await open(n));

async function open(n: number) {
  const store = createStore(url, { instance: `fleet-${n}`, ...(notifications !== '' && { notifications }) });
  await store.open();
  const tasks = new LiveTasks(store, silent, {});
  syncLogs({ store, logger: silent }, tasks);
  maintain({
    store,
    logger: silent,
    retention: { tasks: Number.POSITIVE_INFINITY },
    takeOver: async () => (await store.claimOrphans(100)).length,
    expire: async () => false,
  });
  store.topics.agentModes.listen(2_000, async () => void (await store.agentModes()));
  const [id, contextId, key] = [idOf(n), 'fleet', idOf(n)];
  const task = { id, contextId, status: { state: 'TASK_STATE_WORKING' as const } };
  const owner = { agent: 'bench', tenant: '', principal: 'fleet' };
  await store.append({
    key,
    create: { ...owner, key, id, contextId, createdAt: Date.now(), dialect: 'a2a-1.0' },
    events: [logged(1, { task })],
    status: { state: 'TASK_STATE_WORKING', at: Date.now() },
  });
  let seq = 1;
  return {
    async listen(): Promise<void> {
      const other = (n + 1) % Number(count);
      const publish = (events: readonly { readonly seq: number }[]): void => {
        for (const event of events) seen.push([other, event.seq, now()]);
      };
      const isFound = await tasks.useByKey(idOf(other), async ({ journal }) => {
        journal.listeners.add({ publish, fail: () => undefined });
        return true;
      });
      if (!isFound) throw new Error(`the task ${other} is missing`);
    },
    /** Appends an event at this interval, from a random moment on. */
    async write(interval: number, ms: number): Promise<void> {
      const end = now() + ms;
      for (let due = now() + Math.random() * interval; due < end; due += interval) {
        await delay(Math.max(0, due - now()));
        seq += 1;
        const artifact = { artifactId: 'a', parts: [{ text: `chunk ${seq}` }] };
        const event = { artifactUpdate: { taskId: id, contextId, artifact, append: true } };
        await store.append({ key, events: [logged(seq, event)] });
        written.push([n, seq, now()]);
      }
    },
  };
}

process.on('message', async (question: string) => {
  const [what, interval, ms] = question.split(' ');
  if (what === 'listen') {
    for (const replica of replicas) await replica.listen();
    process.send?.({ listening: true });
  }
  if (what === 'write') {
    written = [];
    await Promise.all(replicas.map((replica) => replica.write(Number(interval), Number(ms))));
    process.send?.({ written } satisfies FleetWritten);
  }
  if (what === 'seen') process.send?.({ seen } satisfies FleetSeen);
});
report({});

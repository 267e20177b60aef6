import { beforeAll, describe, expect, test } from 'vitest';
import type { StreamResponse, TaskStatusUpdateEvent } from '../../../src/core/model/a2a.ts';
import type { TaskOverview } from '../../../src/core/ports/admin-store.ts';
import type { Store } from '../../../src/core/ports/store.ts';
import type { FindTasksResponse, TaskSummary } from '../../../src/gen/admin-v1/types.ts';
import { artifact, defineAgent, progress } from '../../../src/index.ts';
import { createStore } from '../../../src/stores/index.ts';
import { callsOf } from '../../support/admin.ts';
import { silent } from '../../support/core.ts';
import { type Opened, openGateway } from '../../support/gateway.ts';
import { paced } from '../../support/pace.ts';
import { freePort } from '../../support/peer.ts';

/** A tree over five gateways, whose agents speak four generations to one another. */

/** Instructions to an agent, as JSON: it calls others one after the other, spends, and waits until it is stopped. */
interface Work {
  readonly calls?: readonly { readonly to: string; readonly work: Work }[];
  readonly cost?: number;
  /** Calls this agent again and again; each call costs 1. */
  readonly withoutEnd?: string;
  readonly wait?: boolean;
}

const spent = (cost: number): StreamResponse => {
  const { statusUpdate } = progress(`spent ${cost}`);
  return { statusUpdate: { ...(statusUpdate as TaskStatusUpdateEvent), metadata: { usage: { cost } } } };
};

const walker = defineAgent({
  name: 'Walker',
  description: 'Does what it is told, and has others do it',
  async *execute({ text, agent, signal }) {
    const { calls = [], cost, withoutEnd: again, wait } = JSON.parse(text) as Work;
    yield progress('working');
    if (cost) yield spent(cost);
    for (const { to, work } of calls) {
      const answer = await agent(to).send(JSON.stringify(work));
      if (answer.state !== 'TASK_STATE_COMPLETED') throw new Error(`${to}: ${answer.state}: ${answer.text}`);
    }
    while (again) await agent(again).send(JSON.stringify({ cost: 1 }));
    if (wait) await new Promise((resolve) => signal.addEventListener('abort', resolve));
    yield artifact({ content: 'done' });
  },
});

const names = ['one', 'two', 'three', 'four', 'five'] as const;
/** The binding, dialect and place by which each gateway calls the next. */
const links = [
  { transport: 'grpc', dialect: 'a2a-1.0', place: '' },
  { transport: 'rest', dialect: 'a2a-0.3', place: '' },
  { transport: 'jsonrpc', dialect: 'a2a-0.1', place: '/as/a2a-0.1' },
  { transport: 'jsonrpc', dialect: 'agentvault-0.2', place: '' },
] as const;
const key = 'a key that all five gateways have, and nobody else';

let gateways: Opened[];
type Calls = ReturnType<typeof callsOf>;
let calls: Calls[];
const stores: Store[] = names.map((name) => createStore('memory:', { instance: name, logger: silent }));

beforeAll(async () => {
  const ports = await Promise.all(names.map(() => freePort()));
  gateways = [];
  for (const [at, name] of names.entries()) {
    const next = links[at];
    const agents = [
      next &&
        `next: { kind: upstream, url: "http://127.0.0.1:${ports[at + 1]}/walker${next.place}", transport: ${next.transport}, dialect: ${next.dialect}, path: true }`,
      name === 'three' &&
        `home: { kind: upstream, url: "http://127.0.0.1:${ports[0]}/walker", dialect: a2a-1.0, path: true }`,
    ];
    gateways.push(
      await openGateway(
        `
listen: { host: 127.0.0.1, port: ${ports[at]} }
limits: { root: { gateway: ${name}, keys: ["${key}"], cost: 100, calls: 1000 } }
agents:
  idle: { kind: reference }
  ${agents.filter(Boolean).join('\n  ')}
`,
        { agents: { walker }, store: stores[at] as Store },
      ),
    );
  }
  calls = gateways.map(({ url }) => callsOf(url));
});

/** Has the walker of the first gateway begin. Resolves with its task, which is the root of the tree. */
async function begin(work: Work): Promise<string> {
  const message = { messageId: crypto.randomUUID(), role: 'ROLE_USER', parts: [{ text: JSON.stringify(work) }] };
  const request = { message, configuration: { returnImmediately: true } };
  const [first] = calls as [Calls];
  return (await first.post<{ task: { id: string } }>('/walker/message:send', request)).task.id;
}

/** Work that passes through five gateways: each calls the next one. */
const through = (last: Work, own: Work = {}, left = names.length - 1): Work =>
  left === 0 ? last : { ...own, calls: [{ to: 'next', work: through(last, own, left - 1) }] };

/** The tasks of the tree at each gateway. */
const treeOf = async (root: string): Promise<(readonly TaskOverview[])[]> =>
  Promise.all(stores.map(async (store) => (await store.searchTasks({ root }, 1_000, '')).tasks));

/** The whole tree, as an operator of the first gateway sees it: each task as its agent below those of the tasks above it. */
async function seenAtFirst(root: string): Promise<string[]> {
  const [first] = calls as [Calls];
  const { tasks = [], missing } = await first.get<FindTasksResponse>(`/admin/v1/tasks?root=${root}&gateways=true`);
  expect(missing).toEqual([]);
  const byKey = new Map(tasks.map((task) => [task.key, task]));
  const placeOf = ({ gateway = 'one', agent, parent = '' }: TaskSummary): string => {
    const opener = byKey.get(parent);
    return `${opener ? `${placeOf(opener)} > ` : ''}${agent} at ${gateway}`;
  };
  return tasks.map(placeOf).sort();
}

/** The states of these tasks at each gateway, each once. */
const statesOf = async (root: string): Promise<string[]> =>
  (await treeOf(root)).map((tasks) => [...new Set(tasks.map(({ state }) => state.slice(11).toLowerCase()))].join(' '));

const reasonOf = async (root: string): Promise<string> =>
  JSON.stringify((await stores[0]?.load(root))?.task.status.message?.parts);

const soon = { timeout: paced(30_000) };
const all = (state: string): string[] => names.map(() => state);

describe('a tree over five gateways and four generations', () => {
  test('a tree over five gateways and four generations is found by its root at each of them', async () => {
    const root = await begin(through({ cost: 1 }, { cost: 1 }));
    await expect.poll(() => statesOf(root), soon).toEqual(all('completed'));
    // The walker, and the one that it calls, which is the walker of the next.
    expect((await treeOf(root)).map((tasks) => tasks.length)).toEqual([2, 2, 2, 2, 1]);
    const whole = names.flatMap((name) => [`walker at ${name}`, ...(name === 'five' ? [] : [`next at ${name}`])]);
    expect(await seenAtFirst(root)).toEqual(whole.map((_, at) => whole.slice(0, at + 1).join(' > ')));
  });

  test('a tree over five gateways and four generations ends where an agent calls itself in a circle', async () => {
    const circle = { calls: [{ to: 'home', work: {} }] };
    const root = await begin({ calls: [{ to: 'next', work: { calls: [{ to: 'next', work: circle }] } }] });
    await expect.poll(() => statesOf(root), soon).toEqual(['failed', 'failed', 'failed', '', '']);
    expect(await reasonOf(root)).toContain('The agent walker would be called on behalf of itself: walker -> next');
    expect((await seenAtFirst(root)).at(-1)).toMatch(/^walker at one > .* > walker at three$/);
  });

  test('a tree over five gateways and four generations ends where an agent spends without end', async () => {
    const root = await begin({ calls: [{ to: 'next', work: { withoutEnd: 'next' } }] });
    await expect.poll(async () => (await statesOf(root))[0], soon).toBe('failed');
    expect(await reasonOf(root)).toMatch(/The tree of calls has cost as much as it may/);
    const done = (await treeOf(root))[2]?.filter(({ state }) => state === 'TASK_STATE_COMPLETED').length ?? 0;
    // The second gateway gets what is left of the budget, and counts what the third has spent.
    expect(done).toBeGreaterThanOrEqual(50);
    // Costs since the last exchange between the gateways come on top of the budget.
    expect(done).toBeLessThanOrEqual(175);
  });

  const isOver = async (root: string): Promise<boolean> =>
    (await statesOf(root)).every((states) => /canceled|failed/.test(states) && !/working|submitted/.test(states));
  const admin = async (path: string, body: object = {}): Promise<unknown> => calls[0]?.post(`/admin/v1/${path}`, body);

  test.each([
    ['its root', (root: string) => [`tasks/${root}:stopRoot`, `tasks/${root}:resumeRoot`] as const, {}],
    ['its agent', () => ['agents/walker:stop', 'agents/walker:resume'] as const, {}],
    ['its caller', () => ['callers:stop', 'callers:resume'] as const, { principal: 'anonymous' }],
  ])(
    'a tree over five gateways and four generations ends at each of them where %s is stopped at the first, and can begin again',
    async (_, pathsOf, more) => {
      const root = await begin(through({ wait: true }));
      await expect.poll(() => statesOf(root), soon).toEqual(all('working'));
      const [stop, resume] = pathsOf(root);
      await admin(stop, { reason: 'enough', ...more });
      await expect.poll(() => isOver(root), soon).toBe(true);
      expect(await reasonOf(root)).toContain('enough');
      await admin(resume, more);
      const again = await begin(through({}));
      await expect.poll(() => statesOf(again), soon).toEqual(all('completed'));
    },
  );
});

import fc from 'fast-check';
import { expect, it } from 'vitest';
import { connect } from '../../../src/client/index.ts';
import type { Agent } from '../../../src/core/model/agent.ts';
import { openTreeBudgets, openTreeUsage } from '../../../src/extensions/trees/budgets.ts';
import { signPath } from '../../../src/extensions/trees/path.ts';
import { type AgentRequest, artifact, defineAgent, progress } from '../../../src/index.ts';
import { createStore } from '../../../src/stores/index.ts';
import { type TestOptions, testAgent } from '../../../src/testing/index.ts';
import { askAdmin } from '../../support/admin.ts';
import { silent } from '../../support/core.ts';
import { openGateway } from '../../support/gateway.ts';
import { afterTest } from '../../support/peer.ts';
import { startPostgres } from '../../support/postgres.ts';

/** `limits.root`: what one call may lead to. */

const agent = (execute: (request: AgentRequest) => AsyncIterable<unknown>): Agent =>
  defineAgent({ name: 'Part', description: 'Part of a tree', execute } as never);

const limited = (root: object, more: TestOptions = {}): TestOptions => ({ settings: { limits: { root } }, ...more });

/** Calls another agent until it is refused, and says how often that was. */
const calling = (name: string, most = 50): Agent =>
  agent(async function* ({ agent }) {
    let done = 0;
    try {
      for (; done < most; done += 1) await agent(name).send(`${done}`);
    } catch (thrown) {
      yield artifact({ content: `${done}: ${(thrown as Error).message}` });
      return;
    }
    yield artifact({ content: `${done}` });
  });

const leaf = agent(async function* () {
  yield artifact({ content: 'fine' });
});

/** Works until its task is over. */
const endless = agent(async function* ({ signal }) {
  yield progress('working');
  await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));
});

it('a tree makes as many calls as it may, over all of its agents', async () => {
  const agents = { middle: calling('leaf', 2), leaf };
  await using tester = await testAgent(calling('middle'), limited({ calls: 7 }, { agents } as never));
  const { text, task } = await tester.send('go');
  // The third call of the middle is its first that is refused: 1 + 2, 1 + 2, 1.
  expect(text).toContain('3: The tree of calls has made as many calls of agents as it may');
  expect(text).toContain(`limits.root.calls: 7, root ${task?.id}`);
  // Another tree has a budget of its own.
  expect((await tester.send('go')).text).toContain('3: ');
});

it('a tree is as deep as it may be', async () => {
  const asking = (name: string): Agent =>
    agent(async function* ({ agent }) {
      yield artifact({
        content: await agent(name)
          .send('x')
          .then(
            ({ text }) => text,
            (thrown: Error) => thrown.message,
          ),
      });
    });
  const agents = { second: asking('third'), third: asking('leaf'), leaf };
  await using tester = await testAgent(asking('second'), limited({ depth: 3 }, { agents } as never));
  const { text } = await tester.send('go');
  expect(text).toContain('The tree of calls has as many agents that call one another as it may (limits.root.depth: 3');
});

it('all running tasks of a tree fail at the end of its time, and say why', async () => {
  await using tester = await testAgent(
    agent(async function* ({ agent }) {
      yield progress('working');
      await agent('endless').send('x');
    }),
    limited({ time: '1s' }, { agents: { endless } } as never),
  );
  const { state, text } = await tester.send('go');
  expect(state).toBe('TASK_STATE_FAILED');
  expect(text).toContain('The tree of calls has taken as long as it may (limits.root.time');
});

it('all running tasks of a tree fail at the end of its bytes', async () => {
  const writing = agent(async function* ({ signal }) {
    for (let n = 0; !signal.aborted; n += 1) {
      yield artifact({ content: `${n}`.padEnd(5_000, '.'), append: n > 0, artifactId: 'a' } as never);
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
  });
  await using tester = await testAgent(writing, limited({ bytes: '100KiB' }));
  const { state, task } = await tester.send('go');
  expect(state).toBe('TASK_STATE_FAILED');
  expect(JSON.stringify(task?.status)).toContain('The tree of calls has written as many bytes as it may');
});

/** Reports a cost until its task is over. */
const spending = agent(async function* ({ signal, taskId, contextId }) {
  for (let _n = 0; !signal.aborted; _n += 1) {
    const metadata = { usage: { cost: 0.4 } };
    yield { statusUpdate: { taskId, contextId, status: { state: 'TASK_STATE_WORKING' }, metadata } };
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
});

it('what agents report as their cost ends a tree, and refuses further calls', async () => {
  await using tester = await testAgent(calling('spending', 2), limited({ cost: 1 }, { agents: { spending } } as never));
  const { state, task } = await tester.send('go');
  expect(state).toBe('TASK_STATE_FAILED');
  expect(JSON.stringify(task?.status)).toContain('has cost as much as it may (limits.root.cost: 1');
});

it('operators see the whole tree, with what each part cost and why it ended', async () => {
  const opened = await openGateway('limits: { root: { cost: 1 } }\n', {
    agents: { first: calling('spending', 1), spending },
  });
  const client = await connect(`${opened.url}/first`, { as: 'a2a-1.0', via: 'jsonrpc' });
  const { task } = await client.sendMessage(go);
  await client.close();
  const root = task?.id ?? '';
  const { tasks = [] } = await askAdmin(opened.url, 'FindTasks', { root });
  const [part] = tasks.filter(({ agent }) => agent === 'spending');
  const why = expect.stringContaining('The tree of calls has cost as much as it may');
  expect(part).toMatchObject({ root, parent: root, state: 'TASK_STATE_FAILED', reason: why });
  expect(part?.cost).toBeGreaterThanOrEqual(1);
  const { summary, path } = await askAdmin(opened.url, 'InspectTask', { key: part?.key ?? '' });
  expect(summary?.cost).toBeGreaterThanOrEqual(1);
  expect(path).toEqual([{ agent: 'first', task: root }]);
});

it('replicas spend one budget together, exactly, and it is there after a restart', async () => {
  const { url } = await startPostgres();
  const open = async (instance: string) => {
    const store = createStore(url, { instance, logger: silent });
    await store.open();
    afterTest(() => store.close());
    return store.extend(openTreeBudgets);
  };
  const [one, two] = [await open('one'), await open('two')];
  await Promise.all([one, two].map((budgets) => budgets.open('tree', { calls: 10, bytes: 1_000, cost: 1.5 })));
  const taken = await Promise.all(Array.from({ length: 30 }, (_, n) => (n % 2 ? one : two).takeCall('tree')));
  expect(taken.filter((isTaken) => isTaken)).toHaveLength(10);
  await one.put('tree', [{ key: 'a', bytes: 100, cost: 0.25 }]);
  await two.put('tree', [
    { key: 'a', bytes: 300, cost: 0.25 },
    { key: 'b', bytes: 50, cost: 0 },
  ]);
  const left = { calls: 0, depth: undefined, endsAt: undefined, bytes: 650, cost: 1 };
  expect(await one.read('tree')).toEqual(left);
  expect(await (await open('three')).read('tree')).toEqual(left);
  expect(await two.costs(['a', 'b', 'c'])).toEqual(new Map([['a', 0.5]]));
});

const key = 'a key that both gateways have, and nobody else';
const go = { message: { messageId: 'm', role: 'ROLE_USER' as const, parts: [{ text: 'go' }] } };

it('another gateway makes as many calls as the path says are left, and no more where its path comes again', async () => {
  const root = (gateway: string, more = ''): string =>
    `limits: { root: { gateway: ${gateway}, keys: ["${key}"]${more} } }\n`;
  const far = await openGateway(root('far'), { agents: { part: calling('leaf'), leaf } });
  const near = await openGateway(
    `${root('near', ', calls: 8')}agents:\n  bridge: { kind: upstream, url: "${far.url}/part", path: true }\n`,
  );
  const client = await connect(`${near.url}/bridge`, { as: 'a2a-1.0', via: 'jsonrpc' });
  const { task } = await client.sendMessage(go);
  await client.close();
  expect(JSON.stringify(task)).toContain('7: The tree of calls has made as many calls of agents as it may');
  expect(JSON.stringify(task)).toContain('a limit of the gateway where it began');

  const steps = [{ gateway: 'near', agent: 'bridge', task: 't' }];
  const path = signPath({ root: 't', steps, left: { calls: 3 } }, key, Date.now());
  const answers: string[] = [];
  for (let n = 0; n < 2; n += 1) {
    const response = await fetch(`${far.url}/part`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'a2a-version': '1.0', 'a2a-gateway-path': path },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'SendMessage', params: go }),
    });
    answers.push(await response.text());
  }
  expect(answers[0]).toContain('2: The tree of calls');
  expect(answers[1]).toContain('"error"');
  expect(answers[1]).toContain('The tree of calls has made as many calls of agents as it may');
});

it('a tree never uses more at a gateway than the last path said was left, however its paths and calls are mixed', async () => {
  const store = createStore('memory:', { instance: 'far', logger: silent });
  await store.open();
  afterTest(() => store.close());
  const budgets = await store.extend(openTreeBudgets);
  const steps = fc.array(
    fc.oneof(
      fc.record({ left: fc.record({ calls: fc.nat(6), bytes: fc.nat(500), cost: fc.nat(5), endsAt: fc.nat(1_000) }) }),
      fc.record({ bytes: fc.nat(100) }),
      fc.constant('call' as const),
    ),
    { minLength: 1, maxLength: 30 },
  );
  let trees = 0;
  await fc.assert(
    fc.asyncProperty(steps, async (all) => {
      trees += 1;
      const id = `tree ${trees}`;
      // Budget that remains after every path so far.
      let allowed = { calls: 6, bytes: 500, endsAt: 1_000 };
      await budgets.open(id, allowed);
      for (const [at, step] of all.entries()) {
        if (step === 'call') {
          expect(await budgets.takeCall(id)).toBe(allowed.calls > 0);
          allowed = { ...allowed, calls: Math.max(0, allowed.calls - 1) };
        } else if ('left' in step) {
          await budgets.open(id, step.left);
          const { calls, bytes, endsAt } = step.left;
          allowed = {
            calls: Math.min(allowed.calls, calls),
            bytes: Math.min(allowed.bytes, bytes),
            endsAt: Math.min(allowed.endsAt, endsAt),
          };
        } else {
          await budgets.put(id, [{ key: `${id} ${at}`, bytes: step.bytes, cost: 0 }]);
          allowed = { ...allowed, bytes: allowed.bytes - step.bytes };
        }
        expect(await budgets.read(id)).toMatchObject(allowed);
      }
    }),
  );
});

it('the usage of tasks that are erased is deleted with the budgets of their trees', async () => {
  const store = createStore('memory:', { instance: 'test', logger: silent });
  await store.open();
  afterTest(() => store.close());
  const usage = await store.extend(openTreeUsage);
  expect(await usage.erase(['gone'])).toBe(0);
  const budgets = await store.extend(openTreeBudgets);
  for (const id of ['gone', 'other']) await budgets.open(id, { calls: 3 });
  const part = (key: string) => ({ key, bytes: 1, cost: 2 });
  await budgets.put('gone', [part('gone'), part('below')]);
  await budgets.put('other', [part('other'), part('gone too')]);
  expect(await usage.erase(['gone', 'gone too'])).toBe(4);
  expect(await budgets.costs(['gone', 'below', 'other', 'gone too'])).toEqual(new Map([['other', 2]]));
  expect(await budgets.read('gone')).toBeUndefined();
});

import { expect, it } from 'vitest';
import { connect } from '../../../src/client/index.ts';
import type { Agent } from '../../../src/core/model/agent.ts';
import { signPath } from '../../../src/gateway/trees/path.ts';
import { type AgentRequest, artifact, ask, defineAgent, progress } from '../../../src/index.ts';
import { openTreeBudgets } from '../../../src/stores/cluster/tree-budgets.ts';
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
  const taken = await Promise.all(Array.from({ length: 30 }, (_, n) => (n % 2 ? one : two).take('tree', { calls: 1 })));
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

it('another gateway gets a part of what is left, and no more where its path comes again', async () => {
  const root = (gateway: string, more = ''): string =>
    `limits: { root: { gateway: ${gateway}, keys: ["${key}"]${more} } }\n`;
  const far = await openGateway(root('far'), { agents: { part: calling('leaf'), leaf } });
  const near = await openGateway(
    `${root('near', ', calls: 8')}agents:\n  bridge: { kind: upstream, url: "${far.url}/part", path: true }\n`,
  );
  const client = await connect(`${near.url}/bridge`, { as: 'a2a-1.0', via: 'jsonrpc' });
  const { task } = await client.sendMessage(go);
  await client.close();
  expect(JSON.stringify(task)).toContain('1: The tree of calls has made as many calls of agents as it may');
  expect(JSON.stringify(task)).toContain('a limit of the gateway where it began');

  const steps = [{ gateway: 'near', agent: 'bridge', task: 't' }];
  const path = signPath({ root: 't', steps, lease: { id: 'lease', calls: 3 } }, key, Date.now());
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

it('a task that waits and goes on keeps its part at another gateway, whose rest comes back at its end', async () => {
  const root = (gateway: string, more = ''): string =>
    `limits: { root: { gateway: ${gateway}, keys: ["${key}"]${more} } }\n`;
  const asking = defineAgent({ name: 'Asks', description: 'Asks until the end' }, ({ text }) =>
    text === 'end' ? 'done' : ask('More?'),
  );
  const far = await openGateway(root('far'), { agents: { asking } });
  const store = createStore('memory:', { instance: 'near', logger: silent });
  const near = await openGateway(
    `${root('near', ', calls: 40')}agents:\n  bridge: { kind: upstream, url: "${far.url}/asking", path: true }\n`,
    { store },
  );
  const client = await connect(`${near.url}/bridge`, { as: 'a2a-1.0', via: 'jsonrpc' });
  const left = async (id: string): Promise<unknown> => (await (await store.extend(openTreeBudgets)).read(id))?.calls;
  let { task } = await client.sendMessage(go);
  const id = task?.id ?? '';
  for (const text of ['go on', 'go on', 'end']) {
    expect(task?.status.state).toBe('TASK_STATE_INPUT_REQUIRED');
    expect(await left(id)).toBe(30);
    const message = { ...go.message, messageId: crypto.randomUUID(), taskId: id, parts: [{ text }] };
    ({ task } = await client.sendMessage({ message }));
  }
  await client.close();
  expect(task?.status.state).toBe('TASK_STATE_COMPLETED');
  // Of ten, the other gateway has used one.
  await expect.poll(() => left(id)).toBe(39);
});

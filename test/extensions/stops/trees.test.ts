import { setTimeout as delay } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { artifact, defineAgent, status, textOf } from '../../../src/agents/define.ts';
import { connect } from '../../../src/client/index.ts';
import type { Agent } from '../../../src/core/model/agent.ts';
import { pathHeader } from '../../../src/core/model/call.ts';
import { signPath } from '../../../src/extensions/trees/path.ts';
import type { TaskSummary } from '../../../src/gen/admin-v1/types.ts';
import { AdminRefused, askAdmin } from '../../support/admin.ts';
import { type Opened, openGateway } from '../../support/gateway.ts';
import { afterTest } from '../../support/peer.ts';

/** Trees of tasks that an operator stops: a task, and all that its agents began for it. */

/** An agent that calls `demo`, and at the same time the next planner if the message begins with `more`, with the rest of it. */
function planner(next = ''): Agent {
  return defineAgent({
    name: 'Planner',
    description: 'Lets others work',
    async *execute({ message, agent }) {
      yield status('TASK_STATE_WORKING');
      const [first = '', ...rest] = textOf(message).split(' ');
      const works = [agent('demo').send('wait')];
      if (first === 'more') works.push(agent(next).send(rest.join(' ')));
      await Promise.allSettled(works);
      // It does not look at its signal, and goes on.
      await delay(50);
      await agent('demo').send('hello');
      yield artifact({ content: 'done' });
    },
  });
}

const planners = () => ({ planner: planner('second'), second: planner('third'), third: planner() });
const config = 'agents: { demo: { kind: reference } }\ndefaultAgent: demo\n';

async function begin(url: string, text: string, agent = 'planner'): Promise<string> {
  const client = await connect(`${url}/${agent}`, { as: 'a2a-1.0', via: 'jsonrpc' });
  afterTest(() => client.close());
  const { task } = await client.send(text, { returnImmediately: true });
  return task?.id ?? expect.fail('no task');
}

const tasksOf = async (url: string): Promise<readonly TaskSummary[]> =>
  (await askAdmin(url, 'FindTasks', { pageSize: 100 })).tasks ?? [];

/** The number of tasks in each state. */
async function statesOf(url: string): Promise<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const { state = '' } of await tasksOf(url)) counts[state] = (counts[state] ?? 0) + 1;
  return counts;
}

const inTree = (tasks: readonly TaskSummary[], root: string): readonly TaskSummary[] => {
  const keys = new Set([root]);
  for (let size = 0; size !== keys.size; ) {
    size = keys.size;
    for (const { key, parent = '' } of tasks) if (keys.has(parent)) keys.add(key);
  }
  return tasks.filter(({ key }) => keys.has(key));
};

const stopRoot = (url: string, key: string) => askAdmin(url, 'StopRoot', { key, reason: 'it runs in circles' });

it('all tasks of a tree end with the reason, whichever of them is named, and other trees of its caller go on', async () => {
  const gateway: Opened = await openGateway(config, { agents: planners() });
  const { url } = gateway;
  const [root, other] = [await begin(url, 'more more'), await begin(url, 'alone')];
  await expect.poll(() => statesOf(url)).toEqual({ TASK_STATE_WORKING: 8 });
  const leaf = inTree(await tasksOf(url), root).find(({ agent, parent }) => agent === 'demo' && parent !== root);

  const stop = await stopRoot(url, leaf?.key ?? '');
  expect(stop).toMatchObject({ kind: 'root', subject: root, reason: 'it runs in circles' });
  const ended = { TASK_STATE_CANCELED: 6, TASK_STATE_WORKING: 2 };
  await expect.poll(() => statesOf(url)).toEqual(ended);
  for (const { state, reason } of inTree(await tasksOf(url), root))
    expect({ state, reason }).toEqual({
      state: 'TASK_STATE_CANCELED',
      reason: `An operator has stopped the task ${root} and all that it led to: it runs in circles`.slice(0, 160),
    });
  expect(inTree(await tasksOf(url), other).map(({ state }) => state)).toEqual(Array(2).fill('TASK_STATE_WORKING'));
  await delay(200);
  expect(await statesOf(url)).toEqual(ended);

  expect(await stopRoot(url, root)).toEqual(stop);
  expect(await askAdmin(url, 'ResumeRoot', { key: leaf?.key ?? '' })).toEqual(stop);
  await expect(askAdmin(url, 'ResumeRoot', { key: root })).rejects.toBeInstanceOf(AdminRefused);
  await expect(stopRoot(url, 'none')).rejects.toThrow('none');
});

it('an upstream agent that names its task only after the stop is asked to cancel it', async () => {
  const late = defineAgent({
    name: 'Late',
    description: 'Says nothing for a while',
    async *execute({ signal }) {
      await delay(1_000);
      yield status('TASK_STATE_WORKING');
      await new Promise((resolve) => signal.addEventListener('abort', resolve));
    },
  });
  const upstream = await openGateway(config, { agents: { late } });
  const gateway = await openGateway(
    `agents: { up: { kind: upstream, url: "${upstream.url}/late" } }\ndefaultAgent: up\n`,
  );
  await stopRoot(gateway.url, await begin(gateway.url, 'go', 'up'));
  await expect.poll(() => statesOf(upstream.url)).toEqual({ TASK_STATE_CANCELED: 1 });
});

it('a tree that began at another gateway is stopped by its root, and what this sends for it later is refused', async () => {
  const key = 'a key that both gateways have, and nobody else';
  const { url } = await openGateway(`limits: { root: { gateway: far, keys: ["${key}"] } }\n${config}`);
  const send = async (text: string, root?: string) => {
    const steps = [{ gateway: 'near', agent: 'a', task: 't' }];
    const path = root && { [pathHeader]: signPath({ root, steps }, key, Date.now()) };
    const client = await connect(url, { as: 'a2a-1.0', via: 'jsonrpc', ...(path && { headers: path }) });
    afterTest(() => client.close());
    return (await client.send(text, { returnImmediately: true })).task?.id ?? '';
  };
  const [first, , alone] = [await send('wait', 'r'), await send('ask', 'r'), await send('wait')];
  expect(await stopRoot(url, first)).toMatchObject({ kind: 'root', subject: 'r' });
  await expect.poll(() => statesOf(url)).toEqual({ TASK_STATE_CANCELED: 2, TASK_STATE_WORKING: 1 });
  await expect(send('wait', 'r')).rejects.toThrow('it runs in circles');
  await send('wait', 'other');
  await askAdmin(url, 'ResumeRoot', { key: first });
  await send('wait', 'r');
  await expect.poll(() => statesOf(url)).toEqual({ TASK_STATE_CANCELED: 2, TASK_STATE_WORKING: 3 });
  expect((await askAdmin(url, 'InspectTask', { key: alone })).summary?.state).toBe('TASK_STATE_WORKING');
});

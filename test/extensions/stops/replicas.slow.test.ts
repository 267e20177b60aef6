import { createServer } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { parse } from 'yaml';
import { artifact, defineAgent, status } from '../../../src/agents/define.ts';
import { newKey } from '../../../src/auth/hash.ts';
import { type Client, connect } from '../../../src/client/index.ts';
import type { Agent } from '../../../src/core/model/agent.ts';
import { pathHeader } from '../../../src/core/model/call.ts';
import { A2AError } from '../../../src/core/model/errors.ts';
import { signPath } from '../../../src/extensions/trees/path.ts';
import type { TaskSummary } from '../../../src/gen/admin-v1/types.ts';
import { askAdmin } from '../../support/admin.ts';
import { type Opened, openGateway } from '../../support/gateway.ts';
import { paced } from '../../support/pace.ts';
import { afterTest, bodyOf, listenOn } from '../../support/peer.ts';
import { sharedPostgres } from '../../support/postgres.ts';
import { startProxy } from '../../support/proxy.ts';
import { numbers, startReplica } from '../../support/replicas.ts';

/** Callers, agents and trees that are stopped at two replicas while several callers work at both. */

const keys = { alice: newKey(), bob: newKey(), carol: newKey() };
type Name = keyof typeof keys;
const names = Object.keys(keys) as Name[];
const operator = newKey();
const asOperator = { 'x-api-key': operator.key };

/** A gateway that is an upstream agent: in front of it stands a server that never answers a cancellation. */
async function startUpstream(): Promise<{ upstream: Opened; mute: string; cancellations: string[] }> {
  const upstream = await openGateway(`
agents: { demo: { kind: reference } }
defaultAgent: demo
limits: { requestsPerMinute: unlimited, streams: 500 }
`);
  const cancellations: string[] = [];
  const server = createServer(async (req, res) => {
    const body = await bodyOf(req);
    if (body.includes('"CancelTask"')) {
      cancellations.push(body);
      return;
    }
    const headers = { 'content-type': 'application/json', 'a2a-version': req.headers['a2a-version'] as string };
    const init = req.method === 'POST' ? { method: 'POST', headers, body } : {};
    const answer = await fetch(`${upstream.url}${req.url}`, init);
    res.writeHead(answer.status, { 'content-type': answer.headers.get('content-type') ?? '' });
    if (req.method === 'POST') for await (const chunk of answer.body ?? []) res.write(chunk);
    else res.write((await answer.text()).replaceAll(upstream.url, origin));
    res.end();
  });
  const { origin } = await listenOn(server);
  return { upstream, mute: origin, cancellations };
}

/** @param more of each upstream agent */
const configOf = (upstreams: Readonly<Record<string, string>> = {}, limits = '', more = ''): string => `
auth:
  anonymous: false
  apiKeys:
${names.map((name) => `    - { name: ${name}, hash: "${keys[name].hash}" }`).join('\n')}
    - { name: operator, hash: "${operator.hash}", scopes: [admin] }
limits: { requestsPerMinute: unlimited${limits} }
defaultAgent: demo
agents:
  demo: { kind: reference }
${Object.entries(upstreams)
  .map(([name, url]) => `  ${name}: { kind: upstream, url: "${url}", dialect: a2a-1.0, transport: jsonrpc${more} }\n`)
  .join('')}`;

async function clientOf(url: string, name: Name, agent: string, headers = {}): Promise<Client> {
  const client = await connect(`${url}/${agent}`, { as: 'a2a-1.0', via: 'jsonrpc', apiKey: keys[name].key, headers });
  afterTest(() => client.close());
  return client;
}

/** Why a message is refused; empty where it is taken. */
const refused = async (...called: Parameters<typeof clientOf>): Promise<string> =>
  clientOf(...called)
    .then((client) => client.send('hello'))
    .then(
      () => '',
      (thrown: unknown) => A2AError.from(thrown).message,
    );

/** The course of a stream. */
interface Outcome {
  readonly name: Name;
  readonly agent: string;
  readonly chunks: number;
  readonly state: string;
  readonly reason: string;
}

const length = 80;

/** A stream that takes some seconds. */
async function follow(client: Client, name: Name, agent: string, text = `stream ${length} 100`): Promise<Outcome> {
  let [chunks, state, reason] = [0, '', ''];
  for await (const { task, statusUpdate, artifactUpdate } of client.sendStream(text)) {
    if (artifactUpdate) chunks += 1;
    const status = (task ?? statusUpdate)?.status;
    if (status) [state, reason] = [status.state, status.message?.parts[0]?.text ?? ''];
  }
  return { name, agent, chunks, state, reason };
}

const isDone = { state: 'TASK_STATE_COMPLETED' };
const completed = { chunks: length, ...isDone };
const canceled = { state: 'TASK_STATE_CANCELED' };

it('what is stopped at one replica ends at both in the middle of the traffic, and nothing else does', {
  timeout: paced(90_000),
}, async () => {
  const { upstream, mute, cancellations } = await startUpstream();
  const url = await (await sharedPostgres()).migrated();
  const config = configOf({ up: upstream.url, mute });
  const replicas = [await startReplica(url, 'one', { config }), await startReplica(url, 'two', { config })];
  const [one, two] = replicas.map((replica) => replica.url) as [string, string];
  const agents = ['demo', 'up', 'mute'];
  const parts = replicas.flatMap((replica) =>
    names.flatMap((name) => agents.map((agent) => ({ at: replica.url, name, agent }))),
  );
  const clients = await Promise.all(
    parts.map(async (part) => ({ ...part, client: await clientOf(part.at, part.name, part.agent) })),
  );
  const streamed = clients.map(({ client, name, agent }) => follow(client, name, agent));
  const upstreamStates = async () => {
    const { tasks = [] } = await askAdmin(upstream.url, 'FindTasks', { pageSize: 100 });
    return tasks.map(({ state }) => state);
  };
  await expect
    .poll(async () => (await upstreamStates()).filter((state) => state === 'TASK_STATE_WORKING').length)
    .toBe(12);
  const waiting = await clientOf(two, 'alice', 'demo').then((client) => client.send('ask'));

  await askAdmin(one, 'StopCaller', { principal: 'key:alice', reason: 'stolen' }, asOperator);
  await Promise.all(streamed.filter((_, at) => parts[at]?.name === 'alice'));
  await askAdmin(two, 'StopAgent', { name: 'up', reason: 'too dear' }, asOperator);
  const outcomes = await Promise.all(streamed);
  for (const outcome of outcomes) {
    const { name, agent, chunks } = outcome;
    if (name !== 'alice' && agent !== 'up') {
      expect(outcome).toMatchObject(completed);
      continue;
    }
    const reason = name === 'alice' ? 'the caller key:alice: stolen' : 'the agent up: too dear';
    expect(outcome).toMatchObject({ ...canceled, reason: `An operator has stopped ${reason}` });
    expect(chunks).toBeLessThan(length);
  }
  // Of the agent that answers: alice's, and those of the others when it was stopped itself. The other one was asked.
  await expect
    .poll(async () => (await upstreamStates()).filter((state) => state === 'TASK_STATE_CANCELED').length)
    .toBe(6);
  expect(cancellations.length).toBeGreaterThanOrEqual(2);
  const { summary } = await askAdmin(one, 'InspectTask', { key: waiting.task?.id ?? '' }, asOperator);
  expect(summary).toMatchObject(canceled);

  for (const at of [one, two]) {
    expect(await refused(at, 'alice', 'demo')).toContain('stolen');
    expect(await refused(at, 'bob', 'up')).toContain('too dear');
    expect(await refused(at, 'bob', 'demo')).toBe('');
  }
  await askAdmin(two, 'ResumeCaller', { principal: 'key:alice' }, asOperator);
  await askAdmin(one, 'ResumeAgent', { name: 'up' }, asOperator);
  for (const at of [one, two]) {
    await expect.poll(() => refused(at, 'alice', 'demo')).toBe('');
    await expect.poll(() => refused(at, 'bob', 'up')).toBe('');
  }
});

it('a replica that was away from its database learns of a stop when it is back', async () => {
  const url = await (await sharedPostgres()).migrated();
  const config = configOf();
  const proxy = await startProxy(Number(new URL(url).port));
  const one = await startReplica(url, 'one', { config });
  const two = await startReplica(proxy.via(url), 'two', { config });
  const client = await clientOf(two.url, 'alice', 'demo');
  const outcome = follow(client, 'alice', 'demo');
  await expect
    .poll(async () => (await askAdmin(one.url, 'FindTasks', {}, asOperator)).tasks?.[0]?.state)
    .toBe('TASK_STATE_WORKING');
  proxy.freeze();
  await askAdmin(one.url, 'StopCaller', { principal: 'key:alice', reason: 'stolen' }, asOperator);
  await new Promise((resolve) => setTimeout(resolve, 1_500));
  proxy.thaw();
  expect(await outcome).toMatchObject({ ...canceled, reason: expect.stringContaining('stolen') });
  expect((await outcome).chunks).toBeLessThan(length);
  await expect(client.send('hello')).rejects.toThrow('stolen');
});

/** Runs of the agents of all trees in this process. */
interface Forest {
  /** The number of runs of each tree, by its text. */
  readonly runs: Map<string, number>;
  isOver: boolean;
}

/**
 * Has others work for its tree, and opens one task after another meanwhile. It does not look at its signal.
 *
 * @param next what it says to whom: its own text where that is empty
 */
const branch = (forest: Forest, next: Readonly<Record<string, string>> = {}): Agent =>
  defineAgent({
    name: 'Branch',
    description: 'Lets others work',
    async *execute({ text, taskId, agent }) {
      const count = (by: number) => forest.runs.set(text, (forest.runs.get(text) ?? 0) + by);
      count(1);
      try {
        const works = Promise.all(Object.entries(next).map(([to, what]) => agent(to).send(what || text)));
        works.catch(() => undefined);
        let chunks = 0;
        for (; !forest.isOver; chunks += 1) {
          await agent('demo')
            .send('hello')
            .catch(() => undefined);
          await delay(500);
          yield artifact({ artifactId: taskId, content: `${chunks} `, append: chunks > 0 });
        }
        expect((await works).map(({ state }) => state)).not.toContain('TASK_STATE_FAILED');
        yield status('TASK_STATE_COMPLETED', `${chunks}`);
      } finally {
        count(-1);
      }
    },
  });

const pathKey = 'a key that the replicas and the other gateway have, and nobody else';
const rootLimits = (gateway: string): string =>
  `streams: unlimited, root: { gateway: ${gateway}, keys: ["${pathKey}"] }`;

it('trees over both replicas and another gateway end in the middle of the traffic, and other trees do not', {
  timeout: paced(240_000),
}, async () => {
  const forest: Forest = { runs: new Map(), isOver: false };
  const far = await openGateway(
    `agents: { demo: { kind: reference } }\nlimits: { requestsPerMinute: unlimited, ${rootLimits('far')} }\n`,
    { agents: { far: branch(forest, { below: '' }), below: branch(forest) } },
  );
  const store = await (await sharedPostgres()).migrated();
  const configFor = (other: string): string => {
    const more = `, path: true, auth: { type: apiKey, key: "${keys.carol.key}" }`;
    return configOf({ hop: `${other}/second`, far: `${far.url}/far` }, `, ${rootLimits('both')}`, more);
  };
  const start = (name: string, other: string) => {
    const [first, second] = [branch(forest, { second: '', hop: '' }), branch(forest, { far: '', demo: 'ask' })];
    return startReplica(store, name, { config: configFor(other), agents: { first, second, lone: branch(forest) } });
  };
  const { url: one, gateway } = await start('one', far.url);
  const { url: two } = await start('two', one);
  await gateway.reload(parse(`listen: { port: 0 }\n${configFor(two)}`));
  const tasksOf = async (request: object, at = one) =>
    (await askAdmin(at, 'FindTasks', { pageSize: 500, ...request }, at === one ? asOperator : {})).tasks ?? [];

  const texts = numbers(1, 8).map((number) => `tree ${number}`);
  const beginAt = async (url: string, name: Name, agent: string, each: readonly string[]) => {
    const client = await clientOf(url, name, agent);
    return each.map((text) => follow(client, name, agent, text));
  };
  const trees = [
    ...(await beginAt(one, 'alice', 'first', texts.slice(0, 4))),
    ...(await beginAt(two, 'alice', 'first', texts.slice(4))),
  ];
  const alone = texts.map(() => 'alone');
  const others = [...(await beginAt(one, 'bob', 'lone', alone)), ...(await beginAt(two, 'bob', 'lone', alone))];
  const steady = [one, two].map(async (url) => {
    const client = await clientOf(url, 'carol', 'demo');
    for (; !forest.isOver; await delay(10)) expect((await client.send('hello')).task?.status).toMatchObject(isDone);
  });
  const long = { timeout: paced(60_000) };
  const waiting = { states: ['TASK_STATE_INPUT_REQUIRED'] };
  await expect.poll(async () => (await tasksOf(waiting)).length, long).toBe(16);
  await expect.poll(async () => (await tasksOf({ agent: 'below' }, far.url)).length, long).toBe(16);
  const begun = await tasksOf({ agent: 'first' });
  const roots = texts.map((text) => begun.find(({ preview }) => preview === text)?.key ?? expect.fail(text));

  const isStopped = (_: unknown, at: number): boolean => at % 2 === 0;
  const stopped = roots.filter(isStopped);
  const operate = (operation: 'StopRoot' | 'ResumeRoot') =>
    Promise.all(
      stopped.map((key, at) => askAdmin(at % 4 < 2 ? one : two, operation, { key, reason: 'circles' }, asOperator)),
    );
  await operate('StopRoot');
  const outcomes = await Promise.all(trees.filter(isStopped));
  for (const [at, outcome] of outcomes.entries())
    expect(outcome).toMatchObject({ ...canceled, reason: expect.stringContaining(`${stopped[at]} and all`) });
  const runs = () => texts.filter(isStopped).map((text) => forest.runs.get(text));
  await expect.poll(runs, long).toEqual(stopped.map(() => 0));
  /** The tasks of the stopped trees. */
  const tasksAt = (at: string) => Promise.all(stopped.map((root) => tasksOf({ root }, at)));
  const isGreeted = ({ preview, state }: TaskSummary): boolean =>
    preview === 'hello' && [isDone.state, canceled.state].includes(state);
  const statesAt = async (at: string) =>
    (await tasksAt(at)).map((tasks) => tasks.filter((task) => !isGreeted(task)).map(({ state }) => state));
  const all = (count: number) => stopped.map(() => Array(count).fill(canceled.state));
  await expect.poll(() => statesAt(one), long).toEqual(all(8));
  await expect.poll(() => statesAt(far.url), long).toEqual(all(4));
  const ended = await tasksAt(one);
  for (const { state, principal, reason } of ended.flat()) {
    // A task that was called over a URL may be canceled by its caller before its own replica learns of the stop.
    if (state === canceled.state && principal !== 'key:carol') expect(reason).toContain('An operator has stopped');
  }

  const send = (at: string, root = '') => {
    const path = signPath({ root, steps: [{ gateway: 'both', agent: 'first', task: root }] }, pathKey, Date.now());
    return refused(at, 'bob', 'demo', { [pathHeader]: path });
  };
  for (const at of [one, two]) {
    for (const root of stopped) expect(await send(at, root)).toContain('circles');
    expect(await send(at, roots[1])).toBe('');
  }
  forest.isOver = true;
  for (const outcome of [...trees.filter((_, at) => !isStopped(_, at)), ...others])
    expect(await outcome).toMatchObject({ ...isDone, reason: `${(await outcome).chunks}` });
  await Promise.all(steady);
  expect(await tasksAt(one)).toEqual(ended);

  await operate('ResumeRoot');
  for (const root of stopped) for (const at of [one, two]) await expect.poll(() => send(at, root)).toBe('');
  for (const [at, tasks] of (await tasksAt(one)).entries()) {
    const before = new Set(ended[at]?.map(({ key }) => key));
    expect(tasks.filter(({ key }) => before.has(key))).toEqual(ended[at]);
    expect(tasks.filter(({ key }) => !before.has(key)).map(({ state }) => state)).toEqual([isDone.state, isDone.state]);
  }
});

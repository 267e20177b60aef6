import { createServer } from 'node:http';
import { expect, it } from 'vitest';
import { newKey } from '../../../src/auth/hash.ts';
import { type Client, connect } from '../../../src/client/index.ts';
import { A2AError } from '../../../src/core/model/errors.ts';
import { askAdmin } from '../../support/admin.ts';
import { type Opened, openGateway } from '../../support/gateway.ts';
import { afterTest, bodyOf, listenOn } from '../../support/peer.ts';
import { sharedPostgres } from '../../support/postgres.ts';
import { startProxy } from '../../support/proxy.ts';
import { startReplica } from '../../support/replicas.ts';

/** Callers and agents that are stopped at one of two replicas while several callers work at both. */

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

const configOf = (upstream: string, mute: string): string => `
auth:
  anonymous: false
  apiKeys:
${names.map((name) => `    - { name: ${name}, hash: "${keys[name].hash}" }`).join('\n')}
    - { name: operator, hash: "${operator.hash}", scopes: [admin] }
limits: { requestsPerMinute: unlimited }
defaultAgent: demo
agents:
  demo: { kind: reference }
  up: { kind: upstream, url: "${upstream}", dialect: a2a-1.0, transport: jsonrpc }
  mute: { kind: upstream, url: "${mute}", dialect: a2a-1.0, transport: jsonrpc }
`;

async function clientOf(url: string, name: Name, agent: string): Promise<Client> {
  const client = await connect(`${url}/${agent}`, { as: 'a2a-1.0', via: 'jsonrpc', apiKey: keys[name].key });
  afterTest(() => client.close());
  return client;
}

/** How a stream went. */
interface Outcome {
  readonly name: Name;
  readonly agent: string;
  readonly chunks: number;
  readonly state: string;
  readonly reason: string;
}

const length = 80;

/** A stream that takes some seconds. */
async function follow(client: Client, name: Name, agent: string): Promise<Outcome> {
  let [chunks, state, reason] = [0, '', ''];
  for await (const { task, statusUpdate, artifactUpdate } of client.sendStream(`stream ${length} 100`)) {
    if (artifactUpdate) chunks += 1;
    const status = (task ?? statusUpdate)?.status;
    if (status) [state, reason] = [status.state, status.message?.parts[0]?.text ?? ''];
  }
  return { name, agent, chunks, state, reason };
}

const completed = { chunks: length, state: 'TASK_STATE_COMPLETED' };
const canceled = { state: 'TASK_STATE_CANCELED' };

it('what is stopped at one replica ends at both in the middle of the traffic, and nothing else does', {
  timeout: 90_000,
}, async () => {
  const { upstream, mute, cancellations } = await startUpstream();
  const url = await (await sharedPostgres()).migrated();
  const config = configOf(upstream.url, mute);
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

  const refused = async (at: string, name: Name, agent: string): Promise<string> =>
    clientOf(at, name, agent)
      .then((client) => client.send('hello'))
      .then(
        () => '',
        (thrown: unknown) => A2AError.from(thrown).message,
      );
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
  const config = configOf('http://127.0.0.1:9', 'http://127.0.0.1:9');
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

import { afterAll, beforeAll, expect, it } from 'vitest';
import { type AgentRequest, artifact, connect, defineAgent, progress } from '../../../src/index.ts';
import { type Opened, openGateway } from '../../support/gateway.ts';
import { type SdkAgent, sdkAgents } from '../../support/sdk-agents.ts';

/** An agent of the gateway that calls upstream agents of every generation, for its caller. */

const dialects = ['a2a-0.1', 'agentvault-0.2', 'a2a-0.3', 'a2a-1.0'];
const nameOf = (dialect: string): string => dialect.replaceAll('.', '-');

let origin: Opened;
let sdk: SdkAgent;
let gateway: Opened;

const caller = defineAgent({
  name: 'Caller',
  description: 'Sends a text to the agent that it names first',
  async *execute({ text, agent }: AgentRequest) {
    const [, name = '', rest = ''] = /^(\S+) (.*)$/.exec(text) ?? [];
    yield progress(name);
    const { state, text: said } = await agent(name).send(rest);
    yield artifact({ content: `${state ?? 'message'} ${said}` });
  },
});

/** Says what of its caller it got. */
const echo = defineAgent({ name: 'Echo', description: 'Says who calls' }, ({ principal, traceparent, credentials }) =>
  [principal.id, traceparent?.slice(3, 35), credentials?.().authorization].join(' '),
);

beforeAll(async () => {
  origin = await openGateway('agents: { demo: { kind: reference } }');
  sdk = await (sdkAgents['sdk02-jsonrpc']?.() ?? expect.fail());
  const card = (dialect: string): string => `${origin.url}/demo/as/${dialect}/.well-known/agent-card.json`;
  const agents = dialects.map(
    (dialect) => `  ${nameOf(dialect)}: { kind: upstream, url: "${card(dialect)}", dialect: ${dialect} }`,
  );
  const more = [
    `  translated: { kind: upstream, keep: none, url: "${card('a2a-1.0')}" }`,
    `  sdk02: { kind: upstream, url: "${sdk.url}" }`,
  ];
  gateway = await openGateway(`agents:\n${[...agents, ...more].join('\n')}\n`, { agents: { caller, echo } });
});

afterAll(() => sdk?.close());

it.each([...dialects.map(nameOf), 'translated'])(
  'an agent that calls an upstream agent gets its answer: %s',
  async (name) => {
    const client = await connect(`${gateway.url}/caller`);
    const { task } = await client.send(`${name} hello`);
    expect(task?.artifacts?.[0]?.parts).toEqual([{ text: 'TASK_STATE_COMPLETED hello' }]);
    await client.close();
  },
);

it('an agent that calls an upstream agent gets the answer of an agent of the official SDK 0.2', async () => {
  const client = await connect(`${gateway.url}/caller`);
  const { task } = await client.send('sdk02 chunks 2');
  expect(task?.artifacts?.[0]?.parts[0]?.text).toMatch(/^TASK_STATE_COMPLETED /);
  await client.close();
});

it('an agent that calls an upstream agent calls in the trace of its caller, with its credentials', async () => {
  const traceId = 'a'.repeat(32);
  const message = { messageId: 'm', role: 'ROLE_USER', parts: [{ text: 'echo hello' }] };
  const answer = await fetch(`${gateway.url}/caller`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'a2a-version': '1.0',
      authorization: 'Bearer of-the-caller',
      traceparent: `00-${traceId}-${'b'.repeat(16)}-01`,
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'SendMessage', params: { message } }),
  });
  const text = `message anonymous ${traceId} Bearer of-the-caller`;
  expect(await answer.json()).toMatchObject({ result: { task: { artifacts: [{ parts: [{ text }] }] } } });
});

it.each([...dialects.map(nameOf), 'translated'])(
  'an agent that calls an upstream agent cancels its task with its own: %s',
  async (name) => {
    const client = await connect(`${gateway.url}/caller`);
    const { task } = await client.send(`${name} wait`, { returnImmediately: true });
    const other = await connect(`${gateway.url}/${name}`);
    const states = async () => (await other.listTasks({})).tasks.map(({ status }) => status.state);
    await expect.poll(states).toContain('TASK_STATE_WORKING');
    await client.cancelTask({ id: task?.id ?? '' });
    await expect.poll(states).toContain('TASK_STATE_CANCELED');
    await Promise.all([client.close(), other.close()]);
  },
);

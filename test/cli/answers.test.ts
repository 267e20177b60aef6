import { beforeAll, describe, expect, it } from 'vitest';
import { newKey } from '../../src/auth/hash.ts';
import { type AgentDefinition, artifact, ask, defineAgent, say, status } from '../../src/index.ts';
import { openGateway } from '../support/gateway.ts';
import { inProcess } from '../support/in-process.ts';

/** Agents of frameworks give their answer in one of these ways. */
const agents: Record<string, AgentDefinition['execute']> = {
  'a-message': () => say('Hello, Ada!'),
  'an-artifact': async function* () {
    yield status('TASK_STATE_WORKING', 'thinking');
    yield artifact({ content: 'Hello, Ada!' });
  },
  'the-last-status': async function* () {
    yield status('TASK_STATE_WORKING', 'thinking');
    yield status('TASK_STATE_COMPLETED', 'Hello, Ada!');
  },
  'a-status-on-the-way': async function* () {
    yield status('TASK_STATE_WORKING', 'Hello, Ada!');
    yield status('TASK_STATE_COMPLETED');
  },
};

describe('an agent whose answer is', () => {
  let opened: Awaited<ReturnType<typeof openGateway>>;
  beforeAll(async () => {
    const own = Object.entries(agents).map(([name, execute]) => [
      name,
      defineAgent({ name, description: name, execute }),
    ]);
    opened = await openGateway('', { agents: Object.fromEntries(own) });
  });

  it.each(Object.keys(agents))('send prints the answer of the agent %s, with and without --stream', async (name) => {
    for (const flags of [[], ['--stream']]) {
      const { stdout } = await inProcess(['send', `${opened.url}/${name}`, 'Ada', ...flags]);
      expect(stdout).toBe('Hello, Ada!\n');
    }
  });
});

it('task get shows the names of artifacts on one line each, so that they pass for no other line', async () => {
  const execute: AgentDefinition['execute'] = () => artifact({ name: 'a\ntask x: \u202efailed', content: 'Hello' });
  const forger = defineAgent({ name: 'forger', description: 'Forges lines', execute });
  const { url, close } = await openGateway('', { agents: { forger } });
  try {
    const { stdout: sent } = await inProcess(['send', `${url}/forger`, 'Ada', '--json']);
    const { stdout } = await inProcess(['task', 'get', `${url}/forger`, JSON.parse(sent).task.id]);
    expect(stdout).toMatch(/^task \S+: completed since \S+\ncontext \S+\n\na task x: \uFFFDfailed:\nHello\n$/);
  } finally {
    await close();
  }
});

it('task answer answers the question of a task that waits, by data where the question has a schema', async () => {
  const schema = { type: 'object', properties: { seats: { type: 'integer' } }, required: ['seats'] };
  const booking = defineAgent({ name: 'booking', description: 'Books' }, ({ answer }) =>
    answer ? artifact({ content: JSON.stringify(answer) }) : ask('How many seats?', { schema }),
  );
  const { url, close } = await openGateway('', { agents: { booking } });
  try {
    const question = await inProcess(['send', `${url}/booking`, 'book', '--json']);
    const { id } = JSON.parse(question.stdout).task;
    const task = ['task', 'answer', `${url}/booking`, id];
    expect((await inProcess(['task', 'get', `${url}/booking`, id])).stdout).toContain(
      'JSON Schema:\n{\n  "type": "object"',
    );
    const refused = await inProcess([...task, '--data', '{"seats":"x"}']);
    expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining('answer.seats: must be integer')]);
    const { stdout } = await inProcess([...task, '--data', '{"seats":2}']);
    expect(JSON.parse(stdout)).toMatchObject({ value: { seats: 2 } });
    expect((await inProcess([...task, 'again'])).stderr).toContain('asks nothing: it is completed');
  } finally {
    await close();
  }
});

it('task answer decides about the call of another caller, by a word and by data, and says who was first', async () => {
  const keys = Object.fromEntries(['alice', 'ada', 'bob'].map((name) => [name, newKey()]));
  const scopes: Record<string, string[]> = {
    alice: ['tasks', 'questions'],
    ada: ['questions'],
    bob: ['tasks', 'questions'],
  };
  const settings = {
    listen: { host: 'localhost', port: 0 },
    store: 'memory:',
    auth: { apiKeys: Object.entries(keys).map(([name, { hash }]) => ({ name, hash, scopes: scopes[name] })) },
    policies: [{ name: 'spend', ask: { of: ['ada', 'bob'] } }],
  };
  const buyer = defineAgent({ name: 'buyer', description: 'Buys' }, ({ text }) => `bought ${text}`);
  const { url, close } = await openGateway(JSON.stringify(settings), { agents: { buyer } });
  const as = (name: string, ...line: string[]) => inProcess([...line, '--api-key', keys[name]?.key ?? '']);
  try {
    const held = async (): Promise<string> => {
      const sent = await as('alice', 'send', `${url}/buyer`, 'it', '--no-wait', '--json');
      return JSON.parse(sent.stdout).task.id;
    };
    const [id, other] = [await held(), await held()];
    const own = await as('alice', 'task', 'answer', `${url}/buyer`, id, 'approve');
    expect([own.code, own.stderr]).toEqual([1, expect.stringContaining('Task not found')]);
    const wrong = await as('ada', 'task', 'answer', `${url}/buyer`, id, 'perhaps');
    expect([wrong.code, wrong.stderr]).toEqual([
      1,
      expect.stringContaining('answer.decision: must be approve or deny'),
    ]);
    const { stdout } = await as('ada', 'task', 'answer', `${url}/buyer`, id, 'approve');
    expect(stdout).toBe(`task ${id}: the answer was given\n`);
    const late = await as('bob', 'task', 'answer', `${url}/buyer`, id, 'deny');
    expect([late.code, late.stderr]).toEqual([1, expect.stringContaining('answered already, by key:ada')]);
    const denied = ['deny', '--data', '{"reason":"Too much"}', '--json'];
    const details = await as('bob', 'task', 'answer', `${url}/buyer`, other, ...denied);
    expect(JSON.parse(details.stdout).summary).toMatchObject({ state: 'TASK_STATE_REJECTED' });
    expect((await as('alice', 'task', 'get', `${url}/buyer`, other)).stdout).toContain(
      'key:bob has denied the call: Too much',
    );
  } finally {
    await close();
  }
});

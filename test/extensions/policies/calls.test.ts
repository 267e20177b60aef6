import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { newKey } from '../../../src/auth/hash.ts';
import { A2AError, type Client, connect, type Task } from '../../../src/client/index.ts';
import { parseConfig } from '../../../src/config/parse.ts';
import { artifact, defineAgent } from '../../../src/index.ts';
import { startReceiver } from '../../push/receiver.ts';
import { dialectBindings, kindOf } from '../../support/conversations.ts';
import { silent } from '../../support/core.ts';
import { type Opened, openGateway } from '../../support/gateway.ts';
import { afterTest } from '../../support/peer.ts';
import { toolsAt } from '../mcp/client.ts';

/** Policies decide about calls over every binding of every dialect. */

const [alice, bob] = [newKey(), newKey()];

const settings = (policies: string) => `
auth:
  apiKeys:
    - { name: alice, hash: "${alice.hash}" }
    - { name: bob, hash: "${bob.hash}", scopes: [tasks, admin] }
defaultAgent: other
agents:
  demo: { kind: reference }
  other: { kind: reference }
policies:${policies}
`;

const rules = `
  - { name: closed, where: agent == "other", deny: caller.id != "key:bob", reason: Only bob calls this agent }
  - { name: no-cancel, deny: operation == "CancelTask" && caller.id == "key:alice" }
  - { name: no-webhooks, deny: operation == "CreateTaskPushNotificationConfig" }
  - { name: amounts, where: has(metadata.amount), deny: metadata.amount > 100 }
  - { name: unreadable, where: skill == "careless", deny: metadata.absent == 1 }
  - { name: finished, where: operation != "SendMessage", deny: task.state == "TASK_STATE_FAILED" }
  - { name: no-images, deny: 'mediaTypes.exists(type, type.startsWith("image/"))' }
  - { name: closed-context, deny: task.contextId == "closed" }
  - { name: no-payments, deny: skill == "pay" }
  - { name: watched, deny: agent == "demo", shadow: true }
`;

let opened: Opened;
const audited: Record<string, unknown>[] = [];
const note = (fields: object): void => void audited.push(fields as Record<string, unknown>);
beforeAll(async () => {
  opened = await openGateway(settings(rules), { logger: { ...silent, info: note, warn: note } });
});
afterAll(() => opened.close());
beforeEach(() => void audited.splice(0));

const clientAt = async (agent: string, key = alice, as = 'a2a-1.0', via = 'jsonrpc'): Promise<Client> => {
  const client = await connect(`${opened.url}${agent}/as/${as}`, { as, via, apiKey: key.key } as never);
  afterTest(() => client.close());
  return client;
};

const errorOf = (call: Promise<unknown>): Promise<A2AError> =>
  call.then(
    () => Promise.reject(new Error('it was not refused')),
    (thrown: unknown) => A2AError.from(thrown),
  );

const message = (text: string, metadata?: Record<string, unknown>) => ({
  message: {
    messageId: crypto.randomUUID(),
    role: 'ROLE_USER' as const,
    parts: [{ text }],
    ...(metadata && { metadata }),
  },
});

describe.each(dialectBindings.map((protocol) => ({ ...protocol, title: `${protocol.as} over ${protocol.via}` })))(
  '$title',
  ({ as, via }) => {
    it('a refused caller reads the reason, and an allowed one is answered', async () => {
      const error = await errorOf((await clientAt('', alice, as, via)).send('hello'));
      expect(error.kind).toBe('permissionDenied');
      expect(error.message).toBe('Only bob calls this agent');
      expect((await (await clientAt('', bob, as, via)).send('hello')).task ?? 'a message').toBeTruthy();
      expect(audited).toContainEqual(
        expect.objectContaining({
          security: 'policy.refused',
          policy: 'closed',
          principal: 'key:alice',
          agent: 'other',
        }),
      );
    });
  },
);

it('a call is refused by its operation', async () => {
  const [mine, bobs] = [await clientAt('/demo'), await clientAt('/demo', bob)];
  const { task } = await mine.send('ask');
  expect(await kindOf(mine.cancelTask({ id: task?.id ?? '' }))).toBe('permissionDenied');
  const { task: other } = await bobs.send('ask');
  expect((await bobs.cancelTask({ id: other?.id ?? '' })).status.state).toBe('TASK_STATE_CANCELED');
});

it('a call is refused by the metadata of its message', async () => {
  const client = await clientAt('/demo');
  const send = (amount: number) => client.call('SendMessage', message('hello', { amount }));
  await send(5);
  expect(await kindOf(send(500))).toBe('permissionDenied');
  expect(await kindOf(send('many' as never))).toBe('permissionDenied');
});

it.each([
  ['in the metadata of the request', {}, { amount: 500 }],
  ['behind a null in the message', { amount: null }, { amount: 500 }],
  ['behind a small number in the message', { amount: 1 }, { amount: 500 }],
  ['behind a small number in the request', { amount: 500 }, { amount: 1 }],
])('a call is refused by an amount %s', async (_, ofMessage, metadata) => {
  const client = await clientAt('/demo');
  const send = client.call('SendMessage', { ...message('hello', ofMessage), metadata });
  expect(await kindOf(send)).toBe('permissionDenied');
});

it('a call is not refused by metadata that the message and the request have alike', async () => {
  const client = await clientAt('/demo');
  const same = { amount: 5 };
  expect(await client.call('SendMessage', { ...message('hello', same), metadata: same })).toBeTruthy();
});

it.each(['image/png', 'Image/PNG', ' image/png', 'IMAGE/png; q=1'])(
  'a call is refused by a part of %j',
  async (mediaType) => {
    const client = await clientAt('/demo');
    const parts = [{ text: 'see' }, { raw: 'AAAA', mediaType }];
    const send = client.call('SendMessage', { message: { ...message('').message, parts } });
    expect(await kindOf(send)).toBe('permissionDenied');
  },
);

it('a call is judged by the conversation that its message names, also where it names no task', async () => {
  const client = await clientAt('/demo');
  const send = (contextId: string, more: object = {}) =>
    client.call('SendMessage', { message: { ...message('hello').message, contextId, ...more } });
  expect(await kindOf(send('closed'))).toBe('permissionDenied');
  expect(await kindOf(send('closed', { taskId: 'of-nobody' }))).toBe('permissionDenied');
  expect(await kindOf(client.listTasks({ contextId: 'closed' }))).toBe('permissionDenied');
  await send('open');
});

it('a call is judged by the skill that the message or the request names, which must be one', async () => {
  const client = await clientAt('/demo');
  const send = (ofMessage: object, metadata: object) =>
    kindOf(client.call('SendMessage', { ...message('hello', { ...ofMessage }), metadata: { ...metadata } }));
  expect(await send({ skillId: 'pay' }, {})).toBe('permissionDenied');
  expect(await send({}, { skillId: 'pay' })).toBe('permissionDenied');
  expect(await send({ skillId: 'echo' }, { skillId: 'pay' })).toBe('invalidParams');
});

it('a call registers no webhook with a message that it could not register by itself', async () => {
  const client = await clientAt('/demo');
  const config = { url: 'http://localhost:9/hook' };
  const send = client.call('SendMessage', {
    ...message('hello'),
    configuration: { taskPushNotificationConfig: { taskId: '', ...config } },
  });
  expect(await kindOf(send)).toBe('permissionDenied');
  const { task } = await client.send('ask');
  const create = client.call('CreateTaskPushNotificationConfig', { taskId: task?.id ?? '', ...config });
  expect(await kindOf(create)).toBe('permissionDenied');
});

it('a call is refused by a policy that cannot be evaluated', async () => {
  const client = await clientAt('/demo');
  expect(await kindOf(client.call('SendMessage', message('hello', { skillId: 'careless' })))).toBe('permissionDenied');
  expect(audited).toContainEqual(
    expect.objectContaining({ policy: 'unreadable', reason: 'The policy cannot be evaluated' }),
  );
});

it('a call counts for a policy in shadow, which decides nothing', async () => {
  await (await clientAt('/demo')).send('hello');
  expect(audited).toContainEqual(expect.objectContaining({ security: 'policy.shadow', policy: 'watched' }));
  const metrics = await (await fetch(`${opened.url}/metrics`)).text();
  expect(metrics).toMatch(/policy_decisions_total\{policy="watched",outcome="shadow"\} [1-9]/);
  expect(metrics).toMatch(/policy_decisions_total\{policy="closed",outcome="refused"\} [1-9]/);
});

it('the list of calls says which policy has decided about a call', async () => {
  await kindOf((await clientAt('')).send('hello'));
  const answer = await fetch(`${opened.url}/admin/v1/calls?failed=true&agent=other`, {
    headers: { 'X-API-Key': bob.key },
  });
  const { calls } = (await answer.json()) as { calls: { policy?: string; reason?: string; error?: string }[] };
  expect(calls[0]).toMatchObject({
    policy: 'closed',
    error: 'permissionDenied',
    reason: 'Only bob calls this agent',
  });
});

it('operators are refused by no policy, and keep their streams', async () => {
  const own = await openGateway(settings(' []'));
  const headers = { 'X-API-Key': bob.key, accept: 'text/event-stream' };
  const watching = await fetch(`${own.url}/admin/v1/calls:watch`, { headers });
  const reader = (watching.body as ReadableStream<Uint8Array>).getReader();
  afterTest(() => reader.cancel());
  const text = `listen: { host: localhost, port: ${own.port} }\nstore: "memory:"\n${settings('\n  - { name: a, allow: false }')}`;
  const { ended } = await own.gateway.reload(parseConfig(text, { file: '/gateway.yaml' }));
  expect(ended).toBe(0);
  expect((await fetch(`${own.url}/admin/v1/calls`, { headers })).status).toBe(200);
  const client = await connect(`${own.url}/demo`, { as: 'a2a-1.0', via: 'jsonrpc', apiKey: bob.key });
  afterTest(() => client.close());
  expect(await kindOf(client.send('hello'))).toBe('permissionDenied');
});

it('a task that a policy hides cannot be read, followed or found in a list, whose size says nothing of it', async () => {
  const client = await clientAt('/demo');
  const { task: failed } = await client.send('fail');
  const { task: shown } = await client.send('hello');
  expect(failed?.status.state).toBe('TASK_STATE_FAILED');
  const id = failed?.id ?? '';
  expect(await kindOf(client.getTask({ id }))).toBe('permissionDenied');
  expect(await kindOf(client.subscribeToTask({ id })[Symbol.asyncIterator]().next())).toBe('permissionDenied');
  const { tasks, totalSize } = await client.listTasks({ pageSize: 100 });
  expect(tasks.map((each: Task) => each.id)).toContain(shown?.id);
  expect(tasks.map((each: Task) => each.id)).not.toContain(id);
  expect(totalSize).toBe(tasks.length);
});

it('MCP offers no agent that the caller may not call, and knows no name of it', async () => {
  const { names, call } = await toolsAt(`${opened.url}/mcp`, {
    requestInit: { headers: { 'X-API-Key': alice.key } },
  });
  expect((await names()).filter((name) => name.includes('__'))).toEqual(['demo__echo']);
  const refused = await call('send_message', { agent: 'other', message: 'hi' });
  expect(refused.text).toBe('Invalid arguments: agent must be one of demo');
  const bobs = await toolsAt(`${opened.url}/mcp`, { requestInit: { headers: { 'X-API-Key': bob.key } } });
  expect(await bobs.names()).toContain('other__echo');
});

it('a call of an agent by an agent is judged by the agents that led to it', async () => {
  const front = defineAgent({
    name: 'Front',
    description: 'Asks another agent.',
    async *execute(request) {
      const answer = await request
        .agent('demo')
        .send('hello')
        .then(
          () => 'answered',
          (thrown: unknown) => A2AError.from(thrown).message,
        );
      yield artifact({ content: answer });
    },
  });
  const rule = '\n  - { name: a, deny: \'binding == "local" && path == ["front"]\', reason: Not by way of front }';
  const own = await openGateway(settings(rule), { agents: { front } });
  const [through, straight] = await Promise.all(
    ['front', 'demo'].map((agent) =>
      connect(`${own.url}/${agent}`, { as: 'a2a-1.0', via: 'jsonrpc', apiKey: alice.key }),
    ),
  );
  if (!through || !straight) throw new Error('there are no clients');
  afterTest(() => Promise.all([through.close(), straight.close()]));
  const { task } = await through.send('ask it');
  expect(task?.artifacts?.[0]?.parts[0]?.text).toBe('Not by way of front');
  expect(await straight.send('hello')).toBeTruthy();
});

it('a webhook that policies of a later configuration refuse gets no more events, and others do', async () => {
  const receiver = await startReceiver();
  afterTest(() => receiver.close());
  const own = await openGateway(`${settings(' []')}outbound: { allow: [localhost] }`);
  const [mine, bobs] = await Promise.all(
    [alice, bob].map((key) => connect(`${own.url}/demo`, { as: 'a2a-1.0', via: 'jsonrpc', apiKey: key.key })),
  );
  if (!mine || !bobs) throw new Error('there are no clients');
  afterTest(() => Promise.all([mine.close(), bobs.close()]));
  const asked = async (client: Client, path: string): Promise<string> => {
    const { task } = await client.send('ask');
    const id = task?.id ?? '';
    await client.call('CreateTaskPushNotificationConfig', { taskId: id, url: `${receiver.url}${path}` });
    return id;
  };
  const [first, second] = [await asked(mine, '/alice'), await asked(bobs, '/bob')];
  const rule = '\n  - { name: a, deny: caller.id == "key:alice" && operation == "CreateTaskPushNotificationConfig" }';
  const text = `listen: { host: localhost, port: ${own.port} }\nstore: "memory:"\n${settings(rule)}outbound: { allow: [localhost] }`;
  await own.gateway.reload(parseConfig(text, { file: '/gateway.yaml' }));
  await mine.send('Ada', { taskId: first });
  await bobs.send('Bob', { taskId: second });
  await receiver.until((got) =>
    got.some(({ path, body }) => path === '/bob' && JSON.stringify(body).includes('COMPLETED')),
  );
  const headers = { 'X-API-Key': bob.key };
  const dead = async () => (await fetch(`${own.url}/admin/v1/deliveries`, { headers })).text();
  await expect.poll(dead).toContain('the owner of the task may have no webhook');
  expect(receiver.got.map(({ path }) => path)).not.toContain('/alice');
});

it('a reload applies other policies to the next call, and ends the streams that they refuse', async () => {
  const own = await openGateway(settings(' []'));
  const client = await connect(`${own.url}/other/as/a2a-1.0`, { as: 'a2a-1.0', via: 'jsonrpc', apiKey: alice.key });
  afterTest(() => client.close());
  const events = client.sendStream('wait')[Symbol.asyncIterator]();
  await events.next();
  const file = '/gateway.yaml';
  const listen = `listen: { host: localhost, port: ${own.port} }\nstore: "memory:"\n`;
  const reload = (text: string) => own.gateway.reload(parseConfig(listen + settings(text), { file }));
  await reload(rules);
  const rest = async (): Promise<void> => {
    while (!(await events.next()).done);
  };
  expect((await errorOf(rest())).message).toBe('Only bob calls this agent');
  expect(await kindOf(client.send('hello'))).toBe('permissionDenied');
  await expect(reload('\n  - { name: wrong, deny: agnet == "x" }')).rejects.toThrow(
    'policies.0.deny: at character 1: there is no variable "agnet"; did you mean agent?',
  );
  expect(await kindOf(client.send('hello'))).toBe('permissionDenied');
  await reload(' []');
  await client.send('hello');
});

import { createServer } from 'node:http';
import { join } from 'node:path';
import { beforeAll, expect, it } from 'vitest';
import { newKey } from '../../../src/auth/hash.ts';
import { parseConfig } from '../../../src/config/parse.ts';
import { askAdmin } from '../../support/admin.ts';
import { newFolder } from '../../support/folders.ts';
import { type Opened, openGateway } from '../../support/gateway.ts';
import { freePort, listenOn } from '../../support/peer.ts';
import { sharedPostgres } from '../../support/postgres.ts';
import { startReplica } from '../../support/replicas.ts';
import { cardOf, found, register, said, startAgent } from './registering.ts';

/** Agents that are registered while the gateway runs, and what becomes of their cards. */

const start = (settings = '', options = {}): Promise<Opened> =>
  openGateway(`agents: { own: { kind: reference } }\nregistration: { allow: true }\n${settings}`, options);

beforeAll(sharedPostgres);

it('an agent that is registered is served once its card is approved, and by a changed card after that is approved, too', async () => {
  const agent = await startAgent(['one', 'two']);
  const gateway = await start();
  const { revisions: [first] = [] } = await register(gateway, { name: 'new', url: agent.url });
  expect(first).toMatchObject({ state: 'REVISION_STATE_WAITING' });
  expect(first?.differences).toContainEqual({ path: 'card.name', before: '', after: '"Changing"' });
  expect(await said(gateway, 'new')).toBe(404);

  const approve = (revision = '', reject = false) =>
    askAdmin(gateway.url, 'ApproveAgent', { name: 'new', revision, reject });
  expect(await approve(first?.id)).toMatchObject({ active: true });
  expect(await said(gateway, 'new')).toBe('one');

  agent.change(agent.leadsTo(1));
  // The gateway reads the card at once when an agent registers it.
  const { revisions: [second] = [] } = await register(gateway, { name: 'new', url: agent.url });
  expect(second).toMatchObject({ state: 'REVISION_STATE_WAITING' });
  expect(second?.differences?.map(({ path }) => path)).toEqual(['card.supportedInterfaces[0].url']);
  expect(await said(gateway, 'new')).toBe('one');
  await approve(second?.id);
  expect(await said(gateway, 'new')).toBe('two');

  await approve(first?.id);
  expect(await said(gateway, 'new')).toBe('one');
  expect((await found(gateway, 'new'))?.revisions?.map(({ state }) => state)).toEqual([
    'REVISION_STATE_FORMER',
    'REVISION_STATE_APPROVED',
  ]);
  await approve(first?.id, true);
  expect(await said(gateway, 'new')).toBe(404);
  await expect(approve('unknown')).rejects.toThrow('revision');
});

it('an agent that is registered keeps its approved card where the gateway reads another one later', async () => {
  const agent = await startAgent(['one', 'two']);
  const gateway = await start();
  const { revisions: [first] = [] } = await register(gateway, { name: 'new', url: agent.url });
  await askAdmin(gateway.url, 'ApproveAgent', { name: 'new', revision: first?.id ?? '' });
  agent.change({ ...agent.leadsTo(1), description: 'Another' });
  // A connection that begins anew reads the card.
  await askAdmin(gateway.url, 'ApproveAgent', { name: 'new', revision: first?.id ?? '', reject: true });
  await askAdmin(gateway.url, 'ApproveAgent', { name: 'new', revision: first?.id ?? '' });
  expect(await said(gateway, 'new')).toBe('one');
  await expect.poll(async () => (await found(gateway, 'new'))?.revisions?.[0]?.state).toBe('REVISION_STATE_WAITING');
  expect(await cardOf(gateway, 'new')).toMatchObject({ description: 'An agent' });
  expect(await said(gateway, 'new')).toBe('one');
});

it.each([
  ['never', true, true],
  ['changes', true, false],
])(
  'an agent that is registered with approve: %s has its first card at once: %s, and a later one: %s',
  async (approve, _, later) => {
    const agent = await startAgent(['one', 'two']);
    const gateway = await openGateway(`agents: {}\nregistration: { allow: true, approve: ${approve} }`);
    await register(gateway, { name: 'new', url: agent.url });
    expect(await said(gateway, 'new')).toBe('one');
    agent.change(agent.leadsTo(1));
    await register(gateway, { name: 'new', url: agent.url });
    expect(await said(gateway, 'new')).toBe(later ? 'two' : 'one');
  },
);

it('an agent that is registered with approve: never is served by its former card when that is the one it has again', async () => {
  const agent = await startAgent(['one', 'two']);
  const gateway = await openGateway('agents: {}\nregistration: { allow: true, approve: never }');
  for (const [to, answer] of [
    [0, 'one'],
    [1, 'two'],
    [0, 'one'],
  ] as const) {
    agent.change(agent.leadsTo(to));
    await register(gateway, { name: 'new', url: agent.url });
    expect(await said(gateway, 'new')).toBe(answer);
  }
  // An operator's choice stays, also where the agent has another card.
  const { revisions = [] } = (await found(gateway, 'new')) ?? {};
  const former = revisions.find(({ state }) => state === 'REVISION_STATE_FORMER');
  await askAdmin(gateway.url, 'ApproveAgent', { name: 'new', revision: former?.id ?? '' });
  await register(gateway, { name: 'new', url: agent.url });
  expect(await said(gateway, 'new')).toBe('two');
});

it('an agent that is registered shows what its owner says instead of its card, and of its skills those that are offered', async () => {
  const agent = await startAgent(['one']);
  const gateway = await openGateway('agents: {}\nregistration: { allow: true, approve: never }');
  await register(gateway, { name: 'new', url: agent.url, title: 'Better', skills: ['second'] });
  const expected = { name: 'Better', description: 'An agent', skills: [{ id: 'second' }] };
  await expect.poll(() => cardOf(gateway, 'new')).toMatchObject(expected);
  expect(((await cardOf(gateway, 'new')) as { skills: [] }).skills).toHaveLength(1);
});

it('an agent that is registered is there again after a restart, with its card while it is away', async () => {
  const agent = await startAgent(['one']);
  const store = `store: "sqlite:${join(newFolder(), 'a.db')}"`;
  const settings = `agents: {}\nregistration: { allow: true, approve: never }\n${store}`;
  const gateway = await openGateway(settings);
  await register(gateway, { name: 'new', url: agent.url });
  await gateway.close();
  await agent.close();
  const again = await openGateway(settings);
  expect(await cardOf(again, 'new')).toMatchObject({ name: 'Changing', skills: [{ id: 'first' }, { id: 'second' }] });
  expect(await said(again, 'new')).toBe(502);
});

it('an agent that is registered is read as soon as it can be, where it is away at first', async () => {
  // No other server, and no client, gets its port while it is away.
  const agent = await startAgent(['one'], await freePort());
  const gateway = await openGateway('agents: {}\nregistration: { allow: true, approve: never }');
  await agent.close();
  expect(await register(gateway, { name: 'new', url: agent.url })).toMatchObject({
    active: false,
    problem: expect.stringContaining('cannot reach'),
  });
  const server = createServer((_, res) => {
    const card = { name: 'Late', description: 'x', version: '1', capabilities: {}, skills: [] };
    const [defaultInputModes, defaultOutputModes] = [['text/plain'], ['text/plain']];
    const supportedInterfaces = [
      { url: new URL(agent.url).origin, protocolBinding: 'JSONRPC', protocolVersion: '1.0' },
    ];
    res
      .setHeader('content-type', 'application/json')
      .end(JSON.stringify({ ...card, defaultInputModes, defaultOutputModes, supportedInterfaces }));
  });
  await listenOn(server, agent.port);
  await expect.poll(() => found(gateway, 'new')).toMatchObject({ active: true });
});

it.each([
  ['of an agent of the configuration', { name: 'own', url: 'http://localhost:1' }, 'name'],
  ['of a reserved word', { name: 'admin', url: 'http://localhost:1' }, 'name'],
  ['of a name that no agent can have', { name: 'A b', url: 'http://localhost:1' }, 'name'],
  ['of something else than a URL', { name: 'new', url: 'nonsense' }, 'url'],
  ['of a URL that the guard refuses', { name: 'new', url: 'http://169.254.169.254/' }, 'url'],
  ['in an unknown dialect', { name: 'new', url: 'http://localhost:1', dialect: 'a2a-9' }, 'dialect'],
  ['with a lease that is too short', { name: 'new', url: 'http://localhost:1', leaseSeconds: 1 }, 'leaseSeconds'],
  ['with a title that is too long', { name: 'new', url: 'http://localhost:1', title: 'x'.repeat(201) }, 'title'],
])('the registration of %s is refused, with the field', async (_, request, field) => {
  const gateway = await start();
  const refused = (await register(gateway, request).catch((thrown: { data: unknown }) => thrown.data)) as object;
  expect(JSON.stringify(refused)).toContain(`"field":"${field}"`);
  expect((await askAdmin(gateway.url, 'ListRegistrations', {})).registrations ?? []).toEqual([]);
});

it('a registration of an address that redirects inwards is refused', async () => {
  const server = createServer((_, res) => res.writeHead(302, { location: 'http://169.254.169.254/' }).end());
  const { origin: url } = await listenOn(server);
  await expect(register(await start(), { name: 'new', url })).rejects.toMatchObject({ code: -32602 });
});

it('a registration belongs to its owner, who needs the scope agents, and nothing else', async () => {
  const [alice, bob, operator] = [newKey(), newKey(), newKey()];
  const agent = await startAgent(['one']);
  const keys = `
auth:
  apiKeys:
    - { name: alice, hash: "${alice.hash}", scopes: [tasks, agents] }
    - { name: bob, hash: "${bob.hash}", scopes: [agents] }
    - { name: operator, hash: "${operator.hash}", scopes: [admin] }
`;
  const gateway = await start(keys);
  const as = ({ key }: { readonly key: string }) => ({ 'x-api-key': key });
  const request = { name: 'new', url: agent.url };
  const { revisions: [revision] = [] } = await register(gateway, request, as(alice));
  await expect(register(gateway, request, as(bob))).rejects.toMatchObject({ code: -32000 });
  for (const operation of ['RenewAgent', 'RemoveAgent'] as const) {
    await expect(askAdmin(gateway.url, operation, { name: 'new' }, as(bob))).rejects.toMatchObject({ code: -32601 });
  }
  expect((await askAdmin(gateway.url, 'ListRegistrations', {}, as(bob))).registrations ?? []).toEqual([]);
  const approval = { name: 'new', revision: revision?.id ?? '' };
  await expect(askAdmin(gateway.url, 'ApproveAgent', approval, as(alice))).rejects.toMatchObject({ code: -32000 });
  await expect(askAdmin(gateway.url, 'ListAgents', {}, as(alice))).rejects.toMatchObject({ code: -32000 });
  expect(await askAdmin(gateway.url, 'ApproveAgent', approval, as(operator))).toMatchObject({ active: true });
  await askAdmin(gateway.url, 'RemoveAgent', { name: 'new' }, as(operator));
  expect((await fetch(`${gateway.url}/new/.well-known/agent-card.json`)).status).toBe(404);
});

it('a registration leaves its name with what was decided, which its next owner does not see and an operator can forget', async () => {
  const [alice, bob, operator] = [newKey(), newKey(), newKey()];
  const [one, two] = [await startAgent(['one']), await startAgent(['two'])];
  const gateway = await openGateway(`
agents: {}
registration: { allow: true, approve: changes }
auth:
  apiKeys:
    - { name: alice, hash: "${alice.hash}", scopes: [agents] }
    - { name: bob, hash: "${bob.hash}", scopes: [agents] }
    - { name: operator, hash: "${operator.hash}", scopes: [admin, tasks] }
`);
  const as = ({ key }: { readonly key: string }) => ({ 'x-api-key': key });
  const remove = (by: { readonly key: string }, forget = false) =>
    askAdmin(gateway.url, 'RemoveAgent', { name: 'new', forget }, as(by));
  const listed = async (by: { readonly key: string }, removed: boolean) =>
    (await askAdmin(gateway.url, 'ListRegistrations', { removed }, as(by))).registrations ?? [];
  const request = (to: { readonly url: string }) => ({ name: 'new', url: to.url });

  expect(await register(gateway, request(one), as(alice))).toMatchObject({ active: true });
  await remove(alice);
  expect(await listed(alice, false)).toEqual([]);
  expect(await listed(bob, true)).toEqual([]);
  expect(await listed(operator, true)).toMatchObject([
    { name: 'new', owner: 'key:alice', removedBy: 'key:alice', revisions: [{ state: 'REVISION_STATE_APPROVED' }] },
  ]);
  await expect(remove(alice)).rejects.toMatchObject({ code: -32601 });
  await expect(askAdmin(gateway.url, 'RenewAgent', { name: 'new' }, as(alice))).rejects.toMatchObject({
    code: -32601,
  });
  await expect(remove(alice, true)).rejects.toMatchObject({ code: -32000 });

  const taken = await register(gateway, request(two), as(bob));
  expect(taken.active ?? false).toBe(false);
  expect(taken.revisions).toMatchObject([{ state: 'REVISION_STATE_WAITING', offeredBy: 'key:bob' }]);
  expect(JSON.stringify(taken)).not.toContain(one.url);
  const seen = await askAdmin(gateway.url, 'ListRegistrations', {}, as(operator));
  expect(seen.registrations?.[0]?.revisions?.map(({ offeredBy }) => offeredBy)).toEqual(['key:bob', 'key:alice']);

  await remove(operator, true);
  expect(await listed(operator, true)).toEqual([]);
  expect(await register(gateway, request(two), as(bob))).toMatchObject({ active: true });
});

it('a registration is not there where the configuration does not allow it', async () => {
  const gateway = await openGateway('agents: { own: { kind: reference } }');
  await expect(register(gateway, { name: 'new', url: 'http://localhost:1' })).rejects.toThrow('registration.allow');
});

it('a registration outlives a reload, and gives way to an agent of the configuration with its name', async () => {
  const agent = await startAgent(['one']);
  const gateway = await openGateway('agents: {}\nregistration: { allow: true, approve: never }');
  await register(gateway, { name: 'new', url: agent.url });
  const reload = (agents: string) =>
    gateway.gateway.reload(
      parseConfig(
        `listen: { port: 0 }\nstore: "memory:"\nagents: ${agents}\nregistration: { allow: true, approve: never }`,
        {
          file: '/gateway.yaml',
        },
      ),
    );
  await reload('{ other: { kind: reference } }');
  expect(await said(gateway, 'new')).toBe('one');
  await reload('{ new: { kind: reference } }');
  expect(await said(gateway, 'new')).not.toBe('one');
  await reload('{}');
  expect(await said(gateway, 'new')).toBe('one');
});

it('a registration is known to every replica', async () => {
  const store = await (await sharedPostgres()).migrated();
  const config = 'agents: {}\nregistration: { allow: true, approve: never }';
  const [one, two] = await Promise.all(['one', 'two'].map((name) => startReplica(store, name, { config })));
  const agent = await startAgent(['one']);
  if (!one || !two) throw new Error('no replicas');
  await register(one, { name: 'new', url: agent.url });
  await expect.poll(() => said(two, 'new')).toBe('one');
  await askAdmin(two.url, 'RemoveAgent', { name: 'new' });
  await expect.poll(() => said(one, 'new')).toBe(404);
});

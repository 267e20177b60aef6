import { describe, expect, it, vi } from 'vitest';
import { unreadExtension } from '../../../src/core/model/agent.ts';
import { askAdmin } from '../../support/admin.ts';
import { agentsWithCards, card03, gatewayBefore } from '../../support/agents-with-cards.ts';
import { v1Card } from '../../support/cards.ts';
import { openGateway } from '../../support/gateway.ts';
import { closedPortUrl } from '../../support/peer.ts';

const set = { dialect: 'a2a-0.3', transport: 'jsonrpc' };

it.each<[what: string, address: (origin: URL) => string]>([
  ['all interfaces of the machine', ({ port }) => `http://0.0.0.0:${port}/a`],
  ['all interfaces of IPv6', ({ port }) => `http://[::]:${port}/a`],
  ['a path', () => '/a'],
  ['no scheme', ({ host }) => `${host}/a`],
  ['a template', () => '{BASE_URL}/a'],
  ['nothing', () => ''],
])(
  'an address in a card that only the agent itself can use is resolved against the place of the card: %s',
  async (_, address) => {
    const agents = await agentsWithCards((origin) => ({ a: card03(address(new URL(origin))) }));
    const url = `${agents.origin}/a`;
    const gateway = await gatewayBefore({ auto: { url }, set: { url, ...set } });
    expect(await gateway.send('auto')).toMatchObject({ status: 200 });
    expect(await gateway.send('set')).toMatchObject({ status: 200 });
    expect(agents.received.filter(({ method }) => method === 'message/send').map(({ path }) => path)).toEqual([
      '/a',
      '/a',
    ]);
    expect(gateway.problems('auto').join()).toMatch(/^url /);
  },
);

it('an address in a card that only the agent itself can use does not count where the configuration names dialect and transport', async () => {
  const closed = await closedPortUrl();
  const agents = await agentsWithCards(() => ({ a: card03(`${closed}/a`) }));
  const gateway = await gatewayBefore({ a: { url: `${agents.origin}/a`, ...set } });
  expect(await gateway.send('a')).toMatchObject({ status: 200 });
});

it('an address in a card that only the agent itself can use counts where it is more precise than the configured URL', async () => {
  const agents = await agentsWithCards((origin) => ({ a: card03(`${origin}/a/rpc`) }));
  const gateway = await gatewayBefore({ a: { url: `${agents.origin}/a`, ...set } });
  expect(await gateway.send('a')).toMatchObject({ status: 200 });
  expect(agents.received.map(({ path }) => path)).toEqual(['/a/rpc']);
});

describe('a card with a member of another type', () => {
  const skill = { id: 's', name: 'S', description: 'Does S', tags: ['t'] };
  it.each<[member: string, more: object, named: RegExp, served: object]>([
    ['capabilities, as words', { capabilities: ['streaming', 'chat'] }, /^capabilities is a list/, {}],
    ['capabilities, as objects', { capabilities: [{ type: 'a' }, { type: 'b' }] }, /^capabilities is a list/, {}],
    ['a version, as a number', { version: 1.2 }, /^version is a number/, { version: '1.2' }],
    ['a provider, as a text', { provider: 'ACME' }, /^provider is a text/, { provider: { organization: 'ACME' } }],
    ['a provider, as an empty list', { provider: [] }, /^provider is an empty list/, {}],
    [
      'tags, as a text',
      { skills: [{ ...skill, tags: 'a, b' }] },
      /^skills\[0\].tags/,
      { skills: [{ ...skill, tags: ['a', 'b'] }] },
    ],
    ['a skill without id', { skills: [{ ...skill, id: '' }] }, /^skills\[0\].id/, { skills: [skill] }],
    [
      'skills by name',
      { skills: { s: { name: 'S', description: 'Does S', tags: ['t'] } } },
      /^skills is an object/,
      { skills: [skill] },
    ],
    ['one bad skill', { skills: [7, skill] }, /^skills\[0\] is a number/, { skills: [skill] }],
    ['extensions, as an object', { capabilities: { extensions: {} } }, /^capabilities.extensions/, {}],
    [
      'modes, as a text',
      { defaultInputModes: 'text/plain' },
      /^defaultInputModes/,
      { defaultInputModes: ['text/plain'] },
    ],
    ['no description', { description: undefined }, /^description is missing/, {}],
    ['another transport word', { preferredTransport: 'JSON-RPC' }, /^preferredTransport/, {}],
  ])(
    'a card with a member of another type is served without it, and the agent is called: %s',
    async (_, more, named, served) => {
      const agents = await agentsWithCards((origin) => ({ a: card03(`${origin}/a`, more) }));
      const url = `${agents.origin}/a`;
      const gateway = await gatewayBefore({ auto: { url }, set: { url, ...set } });
      expect(await gateway.send('auto')).toMatchObject({ status: 200 });
      expect(await gateway.send('set')).toMatchObject({ status: 200 });
      expect(gateway.problems('auto').join('\n')).toMatch(new RegExp(named.source, 'm'));
      expect(await gateway.card('auto')).toMatchObject({ name: 'Fake', ...served });
      // Not with every refresh.
      expect(gateway.lines.filter(({ fields }) => fields.agent === 'auto' && 'problems' in fields)).toHaveLength(1);
    },
  );
});

it.each<[what: string, card: unknown]>([
  ['missing', undefined],
  ['a server error', 500],
  ['not available', 503],
  ['a web page', '<!doctype html>'],
  ['a list', []],
  ['another document', { openapi: '3.0.0', info: {} }],
])('a card that is none does not matter where the configuration says all: %s', async (_, card) => {
  const agents = await agentsWithCards(() => ({ a: card }));
  const gateway = await gatewayBefore({ a: { url: `${agents.origin}/a`, ...set } });
  expect(await gateway.send('a')).toMatchObject({ status: 200 });
  expect(await gateway.card('a')).toMatchObject({ name: 'a' });
});

it('a card that is none does not keep an agent from being called in the configured dialect, whatever generation the card is of', async () => {
  const agents = await agentsWithCards((origin) => ({
    a: {
      ...card03(`${origin}/a`),
      authentication: { schemes: ['none'] },
      protocolVersion: undefined,
      defaultInputModes: ['text'],
    },
  }));
  const gateway = await gatewayBefore({ a: { url: `${agents.origin}/a`, dialect: 'a2a-0.2', transport: 'jsonrpc' } });
  expect(await gateway.send('a')).toMatchObject({ status: 200 });
  expect(agents.received.map(({ method }) => method)).toEqual(['message/send']);
});

it('members of a card that the configuration gives take the place of those of the card', async () => {
  const agents = await agentsWithCards((origin) => ({
    a: card03(`${origin}/a`, { capabilities: { streaming: true }, provider: { organization: 'A' }, version: 7 }),
  }));
  const skill = { id: 'n', name: 'N', description: 'Does N', tags: ['n'] };
  const card = { name: 'New', version: '2', capabilities: { streaming: false }, provider: null, skills: [skill] };
  const gateway = await gatewayBefore({ a: { url: `${agents.origin}/a`, card } });
  expect(await gateway.send('a')).toMatchObject({ status: 200 });
  const served = await gateway.card('a');
  expect(served).toMatchObject({ name: 'New', description: 'A fake', version: '2', skills: [skill] });
  expect(served.provider).toBeUndefined();
  // Faults in a member that the configuration replaces are not reported.
  expect(gateway.problems('a')).toEqual([]);
});

it('members of a card that the configuration gives say where the agent is, in the form of A2A 1.0 or of its own card', async () => {
  const closed = await closedPortUrl();
  const agents = await agentsWithCards(() => ({ a: card03(`${closed}/a`), b: card03(`${closed}/b`) }));
  const supportedInterfaces = [{ url: `${agents.origin}/a`, protocolBinding: 'JSONRPC', protocolVersion: '0.3' }];
  const gateway = await gatewayBefore({
    a: { url: `${agents.origin}/a`, card: { supportedInterfaces } },
    b: { url: `${agents.origin}/b`, card: { url: `${agents.origin}/b` } },
  });
  expect(await gateway.send('a')).toMatchObject({ status: 200 });
  expect(await gateway.send('b')).toMatchObject({ status: 200 });
});

it('members of a card that the configuration gives describe an agent that has no card', async () => {
  const agents = await agentsWithCards(() => ({}));
  const gateway = await gatewayBefore({ a: { url: `${agents.origin}/a`, ...set, card: { name: 'Known' } } });
  expect(await gateway.send('a')).toMatchObject({ status: 200 });
  expect(await gateway.card('a')).toMatchObject({ name: 'Known' });
  expect(gateway.problems('a')).toEqual([]);
});

it('members of a card that the configuration gives are named where they have no effect', async () => {
  const agents = await agentsWithCards((origin) => ({ a: v1Card(`${origin}/a`) }));
  const gateway = await gatewayBefore({
    a: { url: `${agents.origin}/a`, card: { url: 'https://elsewhere.example.com' } },
  });
  expect(await gateway.send('a')).toMatchObject({ status: 200 });
  expect(gateway.problems('a').join()).toMatch(/^url is set by the configuration and has no effect: .* a2a-1.0$/);
});

describe('an extension that the card requires', () => {
  const uri = 'https://example.com/ext/mood';
  const requiring = (extension: object) => (origin: string) => ({
    a: card03(`${origin}/a`, { capabilities: { extensions: [extension] } }),
  });

  it('an extension that the card requires must be named by callers, unless the configuration passes their calls on', async () => {
    const agents = await agentsWithCards(requiring({ uri, required: true }));
    const url = `${agents.origin}/a`;
    const gateway = await gatewayBefore({ strict: { url }, lax: { url, extensions: { enforce: false } } });
    await gateway.read('strict');
    const refused = await gateway.send('strict');
    expect(refused.status).toBe(400);
    expect(JSON.stringify(refused.body)).toContain('EXTENSION_SUPPORT_REQUIRED');
    expect(await gateway.send('strict', { 'a2a-extensions': uri })).toMatchObject({ status: 200 });
    expect(await gateway.send('lax')).toMatchObject({ status: 200 });
    expect(await gateway.card('lax')).toMatchObject({
      capabilities: { extensions: expect.arrayContaining([expect.objectContaining({ uri, required: true })]) },
    });
  });

  it.each<[what: string, extension: object]>([
    ['whose duty is a word', { uri, required: 'yes' }],
    ['whose duty cannot be read', { uri, required: { when: 'always' } }],
  ])('an extension that the card requires counts as required %s', async (_, extension) => {
    const agents = await agentsWithCards(requiring(extension));
    const gateway = await gatewayBefore({ a: { url: `${agents.origin}/a` } });
    await gateway.read('a');
    expect(await gateway.send('a')).toMatchObject({ status: 400 });
    expect(await gateway.send('a', { 'a2a-extensions': uri })).toMatchObject({ status: 200 });
  });

  it('an extension that the card requires counts as required where its URI cannot be read: callers and operators learn what to do', async () => {
    const agents = await agentsWithCards(requiring({ uri: { of: 'what' }, required: true }));
    const url = `${agents.origin}/a`;
    const capabilities = { extensions: [{ uri, required: true }] };
    const gateway = await gatewayBefore({
      strict: { url },
      lax: { url, extensions: { enforce: false } },
      named: { url, card: { capabilities } },
    });
    await gateway.read('strict');
    const refused = await gateway.send('strict', { 'a2a-extensions': unreadExtension });
    expect(refused.status).toBe(400);
    expect(JSON.stringify(refused.body)).toContain('extensions: { enforce: false }');
    expect(gateway.problems('strict').join()).toContain('capabilities.extensions[0].uri');
    expect(await gateway.send('lax')).toMatchObject({ status: 200 });
    expect(await gateway.send('named', { 'a2a-extensions': uri })).toMatchObject({ status: 200 });
  });
});

it('the admin service names the problems of a card, and why there is none', async () => {
  const agents = await agentsWithCards((origin) => ({
    a: card03(`${origin}/a`, { skills: [{ id: 's', name: 'S', description: 'Does S', tags: 'a,b' }] }),
    b: '<!doctype html>',
  }));
  const { url } = await openGateway(
    `agents: { a: { kind: upstream, url: "${agents.origin}/a" }, b: { kind: upstream, url: "${agents.origin}/b", dialect: a2a-0.3, transport: jsonrpc } }`,
  );
  await vi.waitFor(async () => {
    const { findings = [], upstreamCard } = await askAdmin(url, 'GetAgent', { name: 'a' });
    expect(upstreamCard).toBeDefined();
    expect(findings).toContainEqual({
      severity: 'error',
      dialect: 'upstream',
      field: 'skills[0].tags',
      message: 'is a text: read as a list of 2',
      section: 'A2A 0.3.0 section 5.5.4',
    });
    const none = await askAdmin(url, 'GetAgent', { name: 'b' });
    expect(none.upstreamCard).toBeUndefined();
    expect(none.findings).toContainEqual(
      expect.objectContaining({ dialect: 'upstream', message: expect.stringContaining('not an agent card') }),
    );
  });
});

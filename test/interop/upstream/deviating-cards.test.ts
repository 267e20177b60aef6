import { describe, expect, it } from 'vitest';
import { agentsWithCards, card03, gatewayBefore } from '../../support/agents-with-cards.ts';
import { closedPortUrl } from '../../support/peer.ts';

const set = { dialect: 'a2a-0.3', transport: 'jsonrpc' };

describe('an address in a card that only the agent itself can use', () => {
  it.each<[what: string, address: (origin: URL) => string]>([
    ['all interfaces of the machine', ({ port }) => `http://0.0.0.0:${port}/a`],
    ['all interfaces of IPv6', ({ port }) => `http://[::]:${port}/a`],
    ['a path', () => '/a'],
    ['no scheme', ({ host }) => `${host}/a`],
    ['a template', () => '{BASE_URL}/a'],
    ['nothing', () => ''],
  ])('is resolved against the place of the card: %s', async (_, address) => {
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
  });

  it('does not count where the configuration names dialect and transport', async () => {
    const closed = await closedPortUrl();
    const agents = await agentsWithCards(() => ({ a: card03(`${closed}/a`) }));
    const gateway = await gatewayBefore({ a: { url: `${agents.origin}/a`, ...set } });
    expect(await gateway.send('a')).toMatchObject({ status: 200 });
  });

  it('counts where it is more precise than the configured URL', async () => {
    const agents = await agentsWithCards((origin) => ({ a: card03(`${origin}/a/rpc`) }));
    const gateway = await gatewayBefore({ a: { url: `${agents.origin}/a`, ...set } });
    expect(await gateway.send('a')).toMatchObject({ status: 200 });
    expect(agents.received.map(({ path }) => path)).toEqual(['/a/rpc']);
  });
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
  ])('is served without it, and the agent is called: %s', async (_, more, named, served) => {
    const agents = await agentsWithCards((origin) => ({ a: card03(`${origin}/a`, more) }));
    const url = `${agents.origin}/a`;
    const gateway = await gatewayBefore({ auto: { url }, set: { url, ...set } });
    expect(await gateway.send('auto')).toMatchObject({ status: 200 });
    expect(await gateway.send('set')).toMatchObject({ status: 200 });
    expect(gateway.problems('auto').join('\n')).toMatch(new RegExp(named.source, 'm'));
    expect(await gateway.card('auto')).toMatchObject({ name: 'Fake', ...served });
    // Not with every refresh.
    expect(gateway.lines.filter(({ fields }) => fields.agent === 'auto' && 'problems' in fields)).toHaveLength(1);
  });
});

describe('a card that is none', () => {
  it.each<[what: string, card: unknown]>([
    ['missing', undefined],
    ['a server error', 500],
    ['not available', 503],
    ['a web page', '<!doctype html>'],
    ['a list', []],
    ['another document', { openapi: '3.0.0', info: {} }],
  ])('does not matter where the configuration says all: %s', async (_, card) => {
    const agents = await agentsWithCards(() => ({ a: card }));
    const gateway = await gatewayBefore({ a: { url: `${agents.origin}/a`, ...set } });
    expect(await gateway.send('a')).toMatchObject({ status: 200 });
    expect(await gateway.card('a')).toMatchObject({ name: 'a' });
  });

  it('does not keep an agent from being called in the configured dialect, whatever generation the card is of', async () => {
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
});

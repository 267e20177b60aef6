import { expect, it } from 'vitest';
import { configWarnings } from '../../src/cli/config-summary.ts';
import { parseConfig } from '../../src/config/parse.ts';
import { ConfigError } from '../../src/config/report.ts';
import { readOverride, withDocument, withMembers } from '../../src/dialects/kernel/card-override.ts';
import { v1Card } from '../support/cards.ts';

/** `card` of an upstream agent: members that take the place of those of the agent's card. */

const file = (card: object): string =>
  `agents: { a: { kind: upstream, url: "https://a.example.com", card: ${JSON.stringify(card)} } }`;

function faults(card: object): string[] {
  try {
    parseConfig(file(card), { file: 'gateway.yaml' });
    return [];
  } catch (thrown) {
    if (!(thrown instanceof ConfigError)) throw thrown;
    return thrown.problems.map(({ path, message }) => `${path}: ${message}`);
  }
}

it.each<[what: string, card: object]>([
  ['a text', { name: 'Weather' }],
  ['a member of an object', { capabilities: { streaming: false } }],
  ['a removed member', { provider: null, capabilities: { extensions: null } }],
  ['a list', { skills: [{ id: 'a', name: 'A', description: 'Does A', tags: ['a'] }] }],
  [
    'an interface of A2A 1.0',
    { supportedInterfaces: [{ url: 'https://a', protocolBinding: 'JSONRPC', protocolVersion: '1.0' }] },
  ],
  ['an address of A2A 0.3', { url: 'https://a.example.com/rpc', preferredTransport: 'JSONRPC' }],
  [
    'a security scheme of A2A 1.0',
    { securitySchemes: { key: { apiKeySecurityScheme: { location: 'header', name: 'X-Key' } } } },
  ],
  ['a security scheme of A2A 0.3', { securitySchemes: { key: { type: 'apiKey', in: 'header', name: 'X-Key' } } }],
  ['a member of AgentVault', { humanReadableId: 'a/b' }],
])('members of a card in the configuration may be %s', (_, card) => {
  expect(faults(card)).toEqual([]);
});

it.each<[card: object, fault: string]>([
  [{ nmae: 'x' }, 'agents.a.card.nmae: is no member of a card; did you mean name?'],
  [
    { capabilities: { steaming: true } },
    'agents.a.card.capabilities.steaming: is no member of a card; did you mean streaming?',
  ],
  [{ version: 1 }, 'agents.a.card.version: must be a string'],
  [{ name: null }, 'agents.a.card.name: is required: give a value instead of null'],
  [{ capabilities: ['streaming'] }, 'agents.a.card.capabilities: must be an object'],
  [{ skills: [{ id: 'a', description: 'A', tags: ['a'] }] }, 'agents.a.card.skills.0.name: is required'],
  [
    { skills: [{ id: 'a', name: 'A', description: 'A', tags: [], tag: 1 }] },
    'agents.a.card.skills.0.tag: is no member of a card; did you mean tags?',
  ],
  [{ url: 7 }, 'agents.a.card.url: must be a string'],
])('members of a card in the configuration are refused by name: %j', (card, fault) => {
  expect(faults(card)).toEqual([fault]);
});

it('members of a card in the configuration are merged by member; lists are replaced, null removes, and security schemes are replaced as a whole', () => {
  const card = v1Card('https://a.example.com', {
    capabilities: { streaming: true, pushNotifications: true },
    securitySchemes: { key: { httpAuthSecurityScheme: { scheme: 'Bearer' } } },
    provider: { organization: 'A', url: '' },
    skills: [{ id: 'a', name: 'A', description: 'A', tags: ['a', 'b'] }],
  });
  const key = { apiKeySecurityScheme: { location: 'header', name: 'X-Key' } };
  const skills = [{ id: 'b', name: 'B', description: 'B', tags: ['b'] }];
  const { override } = readOverride({
    name: 'Other',
    capabilities: { streaming: false, pushNotifications: null },
    provider: null,
    skills,
    securitySchemes: { key },
  });
  expect(withMembers(card, override.members)).toEqual({
    name: 'Other',
    description: 'For tests',
    version: '1',
    capabilities: { streaming: false },
    skills,
    defaultInputModes: ['text/plain'],
    defaultOutputModes: ['text/plain'],
    securitySchemes: { key },
    supportedInterfaces: card.supportedInterfaces,
  });
  const read = JSON.parse('{"__proto__":{"a":1},"url":"https://b"}');
  const written = withDocument({ url: 'https://a' }, read);
  expect(written.url).toBe('https://b');
  expect(({} as { a?: number }).a).toBeUndefined();
});

it('members of a card in the configuration are judged as cards are, before any card is read', () => {
  const config = parseConfig(file({ documentationUrl: 'nowhere', version: 'latest' }), { file: 'gateway.yaml' });
  expect(configWarnings(config)).toContainEqual('agent a: card.documentationUrl is not an absolute http or https URL');
});

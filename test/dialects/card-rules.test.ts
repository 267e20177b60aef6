import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { findingsOf } from '../../src/dialects/card-rules/findings.ts';
import { groupFindings } from '../../src/dialects/card-rules/group-findings.ts';
import { cardRules } from '../../src/dialects/card-rules/rules.ts';

/** Rules for cards: each with a card that breaks it, and cards that break none. */

type Card = Record<string, unknown>;

const skill = {
  id: 'say',
  name: 'Say',
  description: 'Says it',
  tags: ['say'],
  examples: ['Say hello'],
  inputModes: ['text/plain; charset=utf-8', 'image/*'],
};
const common = {
  name: 'Agent',
  description: 'Says what it hears',
  version: '1.0.0',
  provider: { organization: 'Example', url: 'https://example.com' },
  documentationUrl: 'https://example.com/docs',
  iconUrl: 'https://example.com/icon.png',
  defaultInputModes: ['text/plain'],
  defaultOutputModes: ['application/json'],
  skills: [skill],
};
const good: Card = {
  ...common,
  supportedInterfaces: [
    { url: 'https://agent.example.com/a', protocolBinding: 'JSONRPC', protocolVersion: '1.0' },
    { url: 'agent.example.com:443', protocolBinding: 'GRPC', protocolVersion: '1.0' },
    { url: 'wss://agent.example.com', protocolBinding: 'https://example.com/bindings/ws', protocolVersion: '1.0' },
  ],
  capabilities: { streaming: true, extendedAgentCard: true, extensions: [{ uri: 'https://example.com/ext' }] },
  securitySchemes: {
    key: { apiKeySecurityScheme: { name: 'X-Api-Key', location: 'header' } },
    oauth: { oauth2SecurityScheme: { flows: { clientCredentials: { tokenUrl: 'https://id.example.com/token' } } } },
  },
  securityRequirements: [{ schemes: { key: { list: [] } } }, { schemes: { oauth: { list: ['a'] } } }],
  signatures: [
    { protected: Buffer.from('{"alg":"ES256","kid":"k","typ":"JOSE"}').toString('base64url'), signature: 'AAAA' },
  ],
};
const older: Card = {
  ...common,
  protocolVersion: '0.3.0',
  url: 'https://agent.example.com/a',
  preferredTransport: 'JSONRPC',
  additionalInterfaces: [
    { url: 'https://agent.example.com/a', transport: 'JSONRPC' },
    { url: 'https://agent.example.com/b', transport: 'GRPC' },
  ],
  capabilities: { streaming: true },
  securitySchemes: { key: { type: 'apiKey', name: 'X-Api-Key', in: 'header' } },
  security: [{ key: [] }],
};

const find = (card: unknown) => findingsOf('a2a-1.0', card, Buffer.byteLength(JSON.stringify(card) ?? ''));
const withSkill = (more: object, ...others: object[]): Card => ({
  ...good,
  skills: [{ ...skill, ...more }, ...others],
});
const withInterface = (more: object, ...others: object[]): Card => {
  const [first] = good.supportedInterfaces as object[];
  return { ...good, supportedInterfaces: [{ ...first, ...more }, ...others] };
};
const withSchemes = (schemes: object): Card => ({ ...good, securitySchemes: schemes });
const [json] = good.supportedInterfaces as [object];

/** By rule: cards that break it, and the fields that are found. */
const broken: Readonly<Record<string, readonly (readonly [card: Card, ...fields: string[]])[]>> = {
  'required-texts': [
    [{ ...good, name: '', description: 7, version: undefined }, 'name', 'description', 'version'],
    [{ ...older, name: ' ' }, 'name'],
  ],
  skills: [
    [{ ...good, skills: [] }, 'skills'],
    [{ ...older, skills: undefined }, 'skills'],
  ],
  'default-modes': [
    [{ ...good, defaultInputModes: [], defaultOutputModes: 'text/plain' }, 'defaultInputModes', 'defaultOutputModes'],
  ],
  capabilities: [[{ ...good, capabilities: undefined }, 'capabilities']],
  'capability-values': [
    [{ ...good, capabilities: { streaming: 'yes', pushNotifications: true } }, 'capabilities.streaming'],
  ],
  'version-form': [[{ ...good, version: 'latest' }, 'version']],
  interfaces: [[{ ...good, supportedInterfaces: [] }, 'supportedInterfaces']],
  'interface-url': [
    [withInterface({ url: '/a2a' }), 'supportedInterfaces[0].url'],
    [withInterface({ url: undefined }), 'supportedInterfaces[0].url'],
    [{ ...older, url: 'agent', additionalInterfaces: [] }, 'url'],
  ],
  'interface-credentials': [
    [withInterface({ url: 'https://me:secret@agent.example.com/' }), 'supportedInterfaces[0].url'],
  ],
  'interface-https': [
    [withInterface({ url: 'http://agent.example.com/' }), 'supportedInterfaces[0].url'],
    [{ ...older, url: 'http://agent.example.com/', additionalInterfaces: [] }, 'url'],
  ],
  'interface-loopback': [[withInterface({ url: 'http://localhost:8080' }), 'supportedInterfaces[0].url']],
  'interface-binding': [
    [withInterface({ protocolBinding: 'json-rpc' }), 'supportedInterfaces[0].protocolBinding'],
    [withInterface({ protocolBinding: undefined }), 'supportedInterfaces[0].protocolBinding'],
    [{ ...older, preferredTransport: 'carrier pigeon', additionalInterfaces: [] }, 'preferredTransport'],
  ],
  'interface-version': [[withInterface({ protocolVersion: '1' }), 'supportedInterfaces[0].protocolVersion']],
  'interface-patch-version': [[withInterface({ protocolVersion: '1.0.1' }), 'supportedInterfaces[0].protocolVersion']],
  'interface-repeated': [[withInterface({}, json), 'supportedInterfaces[1]']],
  'preferred-transport': [[{ ...older, preferredTransport: undefined }, 'preferredTransport']],
  'main-interface-listed': [
    [
      { ...older, additionalInterfaces: [{ url: 'https://agent.example.com/b', transport: 'GRPC' }] },
      'additionalInterfaces',
    ],
  ],
  'conflicting-transports': [
    [
      {
        ...older,
        additionalInterfaces: [
          { url: older.url, transport: 'JSONRPC' },
          { url: older.url, transport: 'GRPC' },
        ],
      },
      'additionalInterfaces[0].url',
      'additionalInterfaces[1].url',
    ],
  ],
  'skill-texts': [[withSkill({ id: undefined, name: '' }), 'skills[0].id', 'skills[0].name']],
  'skill-tags': [[withSkill({ tags: [] }), 'skills[0].tags']],
  'skill-id-repeated': [[withSkill({}, skill), 'skills[1].id']],
  'skill-examples': [[withSkill({ examples: [] }), 'skills']],
  modes: [
    [{ ...good, defaultInputModes: ['text', 'text/plain'] }, 'defaultInputModes[0]'],
    [withSkill({ outputModes: ['json', 7] }), 'skills[0].outputModes[0]', 'skills[0].outputModes[1]'],
  ],
  'security-scheme-unknown': [
    [{ ...good, securityRequirements: [{ schemes: { other: {} } }] }, 'securityRequirements[0]'],
    [withSkill({ securityRequirements: [{ schemes: { other: {} } }] }), 'skills[0].securityRequirements[0]'],
    [{ ...older, security: [{ other: [] }] }, 'security[0]'],
  ],
  'security-scheme-unused': [
    [{ ...good, securityRequirements: [] }, 'securityRequirements'],
    [{ ...older, security: undefined }, 'security'],
  ],
  'security-scheme-kind': [
    [withSchemes({ key: { type: 'apiKey' }, oauth: { oauth2SecurityScheme: {} } }), 'securitySchemes.key'],
    [{ ...older, securitySchemes: { key: { type: 'magic' } } }, 'securitySchemes.key'],
  ],
  'security-scheme-https': [
    [
      withSchemes({
        key: { openIdConnectSecurityScheme: { openIdConnectUrl: 'http://id.example.com/' } },
        oauth: { oauth2SecurityScheme: { flows: { clientCredentials: { tokenUrl: '/token' } } } },
      }),
      'securitySchemes.key.openIdConnectSecurityScheme.openIdConnectUrl',
      'securitySchemes.oauth.oauth2SecurityScheme.flows.clientCredentials.tokenUrl',
    ],
  ],
  'extended-card-security': [
    [{ ...withSchemes({}), securityRequirements: [] }, 'capabilities.extendedAgentCard'],
    [
      { ...older, supportsAuthenticatedExtendedCard: true, securitySchemes: {}, security: [] },
      'supportsAuthenticatedExtendedCard',
    ],
  ],
  provider: [[{ ...good, provider: { url: 'https://example.com' } }, 'provider.organization']],
  links: [
    [
      {
        ...good,
        iconUrl: 'javascript:alert(1)',
        documentationUrl: 'docs',
        provider: { organization: 'A', url: 'data:,x' },
      },
      ...['documentationUrl', 'iconUrl', 'provider.url'],
    ],
  ],
  'extension-uri': [[{ ...good, capabilities: { extensions: [{ uri: 'ext' }] } }, 'capabilities.extensions[0].uri']],
  'extension-repeated': [
    [{ ...good, capabilities: { extensions: [{ uri: 'urn:a' }, { uri: 'urn:a' }] } }, 'capabilities.extensions[1].uri'],
  ],
  'extension-required': [
    [{ ...good, capabilities: { extensions: [{ uri: 'urn:a', required: true }] } }, 'capabilities.extensions[0]'],
  ],
  'signature-form': [
    [
      {
        ...good,
        signatures: [{ protected: '???' }, { protected: Buffer.from('{"alg":"ES256"}').toString('base64url') }],
      },
      ...['signatures[0].protected', 'signatures[1].protected'],
    ],
  ],
  'deceiving-text': [[{ ...good, name: 'Agent\u202etxt.exe', description: 'a\u001b[31m' }, 'name', 'description']],
  'long-name': [[withSkill({ name: 'x'.repeat(201) }), 'skills[0].name']],
  size: [[{ ...good, description: 'x'.repeat(300_000) }, '']],
};

it('there is a broken card for each rule', () => {
  expect(Object.keys(broken)).toEqual(cardRules.map(({ id }) => id));
  expect(new Set(cardRules.map(({ id }) => id)).size).toBe(cardRules.length);
});

describe.each(cardRules.map((rule) => [rule.id, rule] as const))('the rule %s', (id, rule) => {
  it.each((broken[id] ?? []).map((one, at) => [at, one] as const))(
    `the rule ${id} finds what breaks it (%i)`,
    (_, [card, ...fields]) => {
      const family = 'supportedInterfaces' in card ? 'v1' : 'v0';
      const section = `A2A ${family === 'v1' ? '1.0.1' : '0.3.0'} section ${rule.sections[family]}`;
      const found = find(card).filter((finding) => finding.section === section && finding.severity === rule.severity);
      expect(found.map(({ field }) => field)).toEqual(expect.arrayContaining(fields));
      for (const { message } of found) expect(message).toMatch(/^[^A-Z\n].{5,}[^.]$/);
      // Without the break there is nothing.
      expect(find(family === 'v1' ? good : older)).toEqual([]);
    },
  );
});

it('findings begin with the worst, and name the dialect', () => {
  const found = find({ ...good, name: '', version: 'latest', defaultInputModes: ['text'] });
  expect(found.map(({ severity }) => severity)).toEqual(['error', 'warning', 'note']);
  expect(found.every(({ dialect }) => dialect === 'a2a-1.0')).toBe(true);
  expect(found[1]?.message).toBe('is not a media type: write text/plain');
});

// Comparing each with each would take minutes.
it('findings are few, however large the card is', () => {
  const skills = Array.from({ length: 20_000 }, (_, at) => ({ id: `x${at % 10}`, name: 'x'.repeat(200) }));
  const many = <T>(make: (at: number) => T): T[] => Array.from({ length: 50_000 }, (_, at) => make(at));
  const names = many((at) => [`n${at}`, {}] as const);
  const found = find({ ...good, skills });
  find({ ...older, additionalInterfaces: many((at) => ({ url: `https://a.example.com/${at}`, transport: at })) });
  find({
    ...withSchemes(Object.fromEntries(names)),
    securityRequirements: names.map(([name]) => ({ schemes: { [`x${name}`]: {} } })),
  });
  expect(found.length).toBeLessThan(100);
  expect(found.map(({ message }) => message).join()).toMatch(/19990 more fields have the same problem as skills/);
  expect(JSON.stringify(found).length).toBeLessThan(50_000);
});

it('findings are found in anything that is JSON', () => {
  const keys = fc.constantFrom(...Object.keys(good), ...Object.keys(older), 'schemes', 'uri', 'id', 'url');
  const { value } = fc.letrec((tie) => ({
    value: fc.oneof({ maxDepth: 5 }, fc.jsonValue(), fc.array(tie('value')), fc.dictionary(keys, tie('value'))),
  }));
  fc.assert(
    fc.property(value, (card) => {
      for (const { severity, section, message } of find(card)) {
        expect(['error', 'warning', 'note']).toContain(severity);
        expect([section, message]).not.toContain('');
      }
    }),
  );
});

it('findings stand together where they differ in their places alone, the worst first', () => {
  const note = { severity: 'note', message: 'has no place', section: '1' };
  const groups = groupFindings([
    { ...note, field: 'provider', dialect: 'a2a-0.1' },
    { ...note, field: 'provider', dialect: 'a2a-0.2' },
    { ...note, field: 'skills' },
    { severity: 'error', message: 'is missing', field: 'name', dialect: 'a2a-1.0' },
    { ...note, section: '2', field: 'provider', dialect: 'a2a-0.1' },
  ]);
  expect(groups.map(({ severity, fields }) => [severity, fields])).toEqual([
    ['error', [{ field: 'name', dialects: ['a2a-1.0'] }]],
    [
      'note',
      [
        { field: 'provider', dialects: ['a2a-0.1', 'a2a-0.2'] },
        { field: 'skills', dialects: [] },
      ],
    ],
    ['note', [{ field: 'provider', dialects: ['a2a-0.1'] }]],
  ]);
});

it('findings are none about cards of specifications that no rule is for', () => {
  const { name, description, skills } = common;
  expect(find({ name, description, skills, url: 'https://example.com/', authentication: { schemes: [] } })).toEqual([]);
  expect(find({ schemaVersion: '1.0', name, url: 'https://example.com/' })).toEqual([]);
});

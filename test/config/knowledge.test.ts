import { describe, expect, it } from 'vitest';
import { parseConfig } from '../../src/config/parse.ts';
import type { AlignmentConfig } from '../../src/gen/settings.ts';

const surroundings = { file: '/etc/gw/gw.yaml', env: {} };

const read = (knowledge: string) =>
  parseConfig(`agents:\n  facts:\n    kind: reference\n    knowledge: ${knowledge}\n`, surroundings).agents.get('facts')
    ?.knowledge;

const nothing = { alignment: {}, sparql: undefined, import: [] };

it.each(['true', '{}', '"true"'])('knowledge of an agent is turned on by %s', (text) =>
  expect(read(text)).toEqual(nothing),
);

it.each(['false'])('knowledge of an agent is off with %s', (text) => expect(read(text)).toBeUndefined());

it('knowledge of an agent has rules, whose files are beside the configuration', () => {
  const text = `{
      shapes: ./shapes.ttl, rules: rules.ts, minCertainty: 0.5, requireProvenance: [sourceAgentId],
      requireJustification: true, import: [facts.nq],
      protected: { graphs: { 'https://example.org/hr*': { read: [anonymous], write: [] } } }
    }`;
  expect(read(text)).toEqual({
    alignment: {
      shapes: '/etc/gw/shapes.ttl',
      rules: '/etc/gw/rules.ts',
      minCertainty: 0.5,
      requireProvenance: ['sourceAgentId'],
      requireJustification: true,
      protected: { graphs: { 'https://example.org/hr*': { read: ['anonymous'], write: [] } } },
    },
    sparql: undefined,
    import: ['/etc/gw/facts.nq'],
  });
});

it('knowledge of an agent can be in a graph database', () => {
  const text = `{ sparql: { query: 'https://db.example/q', update: 'https://db.example/u', timeout: 5s, auth: { type: basic, username: u, password: p } } }`;
  expect(read(text)?.sparql).toMatchObject({
    query: 'https://db.example/q',
    update: 'https://db.example/u',
    timeout: 5_000,
    auth: { type: 'basic', username: 'u' },
  });
});

describe('callers that protected graphs and predicates are for', () => {
  const hash = `"sha256:${'A'.repeat(43)}"`;
  const otherHash = `"sha256:${'B'.repeat(42)}A"`;
  const idp = 'https://idp.example';
  const keys = `apiKeys: [{ name: alice, hash: ${hash} }, { name: hr-jobs, hash: ${otherHash} }]`;
  const clients = `tokenEndpoint: { clients: [{ id: alice, hash: ${hash} }, { id: bob, hash: ${otherHash} }] }`;
  const jwt = `jwt: { issuer: "${idp}", audience: a2a, jwksUrl: "${idp}/jwks.json" }`;
  const certificates = (others: string) => `mtls: { clients: [{ name: robot, commonName: robot }], others: ${others} }`;
  const tls = 'tls: { cert: c.pem, key: k.pem, clientCa: ca.pem }';

  function readersOf(names: readonly string[], auth: string): readonly string[] | undefined {
    const text = `listen: { ${tls} }
auth: { ${auth} }
agents:
  facts: { kind: reference, knowledge: { protected: { predicates: { "urn:p": { read: ${JSON.stringify(names)} } } } } }
`;
    const { alignment } = parseConfig(text, surroundings).agents.get('facts')?.knowledge ?? nothing;
    return (alignment as AlignmentConfig).protected?.predicates?.['urn:p']?.read;
  }

  const all = ['anonymous: true', keys, clients, jwt, certificates('accept')].join(', ');

  it.each([
    ['alice', ['key:alice', 'client:alice']],
    ['key:alice', ['key:alice']],
    ['bob', ['client:bob']],
    ['robot', ['cert:robot']],
    ['hr-*', ['key:hr-jobs']],
    ['client:*', ['client:alice', 'client:bob']],
    ['anonymous', ['anonymous']],
    ['*', ['*']],
    [`jwt:${idp}#carol`, [`jwt:${idp}#carol`]],
    [`jwt:${idp}#hr-*`, [`jwt:${idp}#hr-*`]],
    ['jwt:*', ['jwt:*']],
    ['subject:CN=carol', ['subject:CN=carol']],
  ])('protected knowledge may name the caller %s', (name, ids) => expect(readersOf([name], all)).toEqual(ids));

  it.each([
    ['carol', all],
    ['key:bob', all],
    ['Alice', all],
    ['hr*-jobs', all],
    ['x-*', all],
    [`jwt:${idp}#`, all],
    ['jwt:https://other.example#carol', all],
    ['alice', jwt],
    [`jwt:${idp}#carol`, keys],
    ['subject:CN=carol', [keys, certificates('refuse')].join(', ')],
    ['anonymous', ['anonymous: false', keys].join(', ')],
  ])('callers that protected graphs and predicates are for refuses %s, which no caller can be', (name, auth) => {
    const place = 'agents.facts.knowledge.protected.predicates.urn:p.read.0';
    expect(() => readersOf([name], auth)).toThrow(`${place}: no caller is called "${name}"`);
  });
});

it('a knowledge graph is something that agents of every kind can have', () => {
  const agents = `agents:
  u: { kind: upstream, url: "https://u.example", knowledge: true }
  m: { kind: module, path: ./m.ts, knowledge: true }
  t: { kind: mcp, servers: { s: { url: "https://s.example/mcp" } }, knowledge: true }
`;
  for (const agent of parseConfig(agents, surroundings).agents.values()) expect(agent.knowledge).toEqual(nothing);
});

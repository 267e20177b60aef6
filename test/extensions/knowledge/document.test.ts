import { describe, expect, it } from 'vitest';
import { createDialects } from '../../../src/dialects/registry.ts';
import { openGateway } from '../../support/gateway.ts';
import {
  type KnowledgeClient,
  overConnectEs,
  overJsonRpc,
  overRest,
  type Refused,
  transports,
} from '../../support/knowledge-clients.ts';

/** The knowledge graph extension over every binding: what its document says, in the words of its document. */

const config = `
listen: { port: 0 }
store: "memory:"
defaultAgent: facts
agents:
  facts: { kind: reference, knowledge: true }
  other: { kind: reference, knowledge: {} }
  plain: { kind: reference }
`;

const { origin } = await openGateway(config);

const dialects = createDialects();
const versions = [undefined, ...dialects.byVersion.keys(), '9.9'];
const versionHeader = (version: string | undefined): Record<string, string> =>
  version === undefined ? {} : { 'A2A-Version': version };

/** Every way to the agent `facts`, by name. */
const bindings: readonly (readonly [string, () => KnowledgeClient])[] = [
  ['JSON-RPC at the root', () => overJsonRpc(`${origin}/`)],
  ...versions.flatMap((version) => [
    [`JSON-RPC, version ${version}`, () => overJsonRpc(`${origin}/facts`, versionHeader(version))] as const,
    [`HTTP+JSON, version ${version}`, () => overRest(`${origin}/facts`, versionHeader(version))] as const,
  ]),
  ...dialects.list.map(
    ({ name }) => [`JSON-RPC below /as/${name}`, () => overJsonRpc(`${origin}/facts/as/${name}/`)] as const,
  ),
  ['HTTP+JSON at the root', () => overRest(origin)],
  ...Object.entries(transports).flatMap(([name, make]) => [
    [name, () => overConnectEs(make(origin), 'facts')] as const,
    [`${name}, version 0.3`, () => overConnectEs(make(origin), 'facts', versionHeader('0.3'))] as const,
  ]),
];

let count = 0;
const newId = (): string => `https://example.org/thing/${++count}`;
const name = 'https://schema.org/name';

const statement = (id: string, more: object = {}) => ({
  subject: { id, type: 'https://schema.org/Person' },
  predicate: { id: name },
  object: { value: 'Ada', type: 'xsd:string' },
  certainty: 0.75,
  ...more,
});

const about = (id: string) => ({
  query:
    'query About($id: ID!) { statements(subject: $id) { totalCount nodes { object { value } certainty provenance } } }',
  queryLanguage: 'graphql',
  variables: { id },
});

const refusal = async (promise: Promise<unknown>): Promise<Refused> =>
  promise.then(
    () => expect.fail('nothing was refused'),
    (error) => error,
  );

describe.each(bindings)('the knowledge extension over %s', (label, make) => {
  it(`the knowledge extension over ${label} stores, queries, replaces and removes statements`, async () => {
    const client = make();
    const id = newId();
    const answer = await client.update({
      mutations: [{ op: 'add', statement: statement(id) }],
      taskId: 'task-1',
      sessionId: 'session-1',
      sourceAgentId: 'agent_xyz',
      justification: 'She said so',
      metadata: { token: 'secret' },
    });
    expect(answer).toEqual({
      success: true,
      statementsAffected: 1,
      affectedIds: [id],
      verificationStatus: 'Verified',
      verificationDetails: expect.any(String),
    });
    const { data, queryMetadata } = await client.query({ ...about(id), requiredCertainty: 0.5, maxAgeSeconds: 60 });
    expect(data).toEqual({
      statements: {
        totalCount: 1,
        nodes: [
          {
            object: { value: 'Ada' },
            certainty: 0.75,
            provenance: {
              taskId: 'task-1',
              sessionId: 'session-1',
              sourceAgentId: 'agent_xyz',
              justification: 'She said so',
            },
          },
        ],
      },
    });
    expect(queryMetadata).toBeTypeOf('object');
    expect(await client.query({ ...about(id), requiredCertainty: 0.9 })).toMatchObject({
      data: { statements: { totalCount: 0 } },
    });
    const other = statement(id, { object: { value: 1815 } });
    expect(await client.update({ mutations: [{ op: 'replace', statement: other }] })).toMatchObject({
      success: true,
      statementsAffected: 2,
    });
    expect(await client.query(about(id))).toMatchObject({
      data: { statements: { nodes: [{ object: { value: 1815 } }] } },
    });
    const gone = { subject: { id }, predicate: { id: name }, object: { value: 1815 } };
    expect(await client.update({ mutations: [{ op: 'remove', statement: gone }] })).toMatchObject({
      success: true,
      statementsAffected: 1,
    });
    expect(await client.update({ mutations: [{ op: 'remove', statement: gone }] })).toMatchObject({
      success: true,
      statementsAffected: 0,
    });
  });

  it(`the knowledge extension over ${label} streams changes as they happen, and those that a subscriber missed`, async () => {
    const client = make();
    const id = newId();
    const query = {
      subscriptionQuery:
        'subscription ($id: ID) { statementChanged(subject: $id) { op statement { subject { id } } } }',
      queryLanguage: 'graphql',
      variables: { id },
    };
    const events = await client.subscribe(query);
    const why = { taskId: 'task-2', sessionId: 'session-2', sourceAgentId: 'agent_xyz', justification: 'News' };
    await client.update({ mutations: [{ op: 'add', statement: statement(newId()) }] });
    await client.update({ mutations: [{ op: 'add', statement: statement(id) }], ...why });
    const { value: event } = await events.next();
    expect(event).toEqual({
      op: 'add',
      statement: statement(id, { provenance: why }),
      changeId: expect.stringMatching(/^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/),
      timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/),
      changeMetadata: { ...why, principal: expect.any(String), position: expect.any(Number) },
    });
    await events.return?.();
    const { position } = event.changeMetadata as { position: number };
    await client.update({ mutations: [{ op: 'remove', statement: statement(id) }] });
    const again = await client.subscribe(query, position);
    expect((await again.next()).value).toMatchObject({ op: 'remove', statement: { subject: { id } } });
    await again.return?.();
    const all = await client.subscribe(query, position - 1);
    expect((await all.next()).value).toEqual(event);
    await all.return?.();
  });

  it(`the knowledge extension over ${label} refuses invalid requests with the documented errors`, async () => {
    const client = make();
    expect(await refusal(client.query({ query: '{ nobody }' }))).toMatchObject({ reason: 'KNOWLEDGE_QUERY_FAILED' });
    expect(await refusal(client.query({ query: 'SELECT *', queryLanguage: 'sql' }))).toMatchObject({
      reason: 'QUERY_LANGUAGE_NOT_SUPPORTED',
    });
    const bad = { op: 'put', statement: { ...statement('urn:x'), object: {}, certainty: 2 } };
    const { reason, message } = await refusal(client.update({ mutations: [bad] }));
    expect({ reason, message }).toEqual({
      reason: 'INVALID_PARAMS',
      message: expect.stringContaining('mutations[0].op'),
    });
    for (const params of [{}, { mutations: [] }]) {
      expect(await refusal(client.update(params))).toMatchObject({ reason: 'INVALID_PARAMS' });
    }
    expect(await refusal(client.query({ query: '{ __typename }', requiredCertainty: 2 }))).toMatchObject({
      reason: 'INVALID_PARAMS',
    });
    const subscribed = async (params: Record<string, unknown>) => (await client.subscribe(params)).next();
    expect(await refusal(subscribed({ subscriptionQuery: 'subscription { nothing }' }))).toMatchObject({
      reason: 'KNOWLEDGE_SUBSCRIPTION_FAILED',
    });
    expect(await refusal(subscribed({ subscriptionQuery: 'x', queryLanguage: 'sql' }))).toMatchObject({
      reason: 'SUBSCRIPTION_LANGUAGE_NOT_SUPPORTED',
    });
  });
});

describe('errors of the knowledge extension', () => {
  const call = async (path: string, method: string, params: object) => {
    const response = await fetch(origin + path, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
    });
    const { error } = (await response.json()) as { error: { code: number; message: string } };
    return [response.status, error.code];
  };

  it.each([
    ['/', 'knowledge/query', { query: '{ nobody }' }, 200, -32010],
    ['/', 'knowledge/query', { query: 'x', queryLanguage: 'sql' }, 200, -32010],
    ['/', 'knowledge/query', {}, 200, -32602],
    ['/', 'knowledge/update', { mutations: [{}] }, 200, -32602],
    ['/', 'knowledge/subscribe', { subscriptionQuery: 'subscription { nobody }' }, 400, -32012],
    ['/', 'knowledge/subscribe', { subscriptionQuery: 'x', queryLanguage: 'sql' }, 501, -32012],
    ['/', 'knowledge/subscribe', {}, 400, -32602],
    ['/plain', 'knowledge/query', { query: '{ __typename }' }, 200, -32601],
    ['/plain', 'knowledge/subscribe', { subscriptionQuery: 'subscription { x }' }, 501, -32601],
    ['/', 'knowledge/forget', {}, 200, -32601],
  ])(
    'an error of the knowledge extension at %s in %s %j is HTTP %i with the code %i',
    async (path, method, params, status, code) => expect(await call(path, method, params)).toEqual([status, code]),
  );

  it('errors of the knowledge extension have their documented statuses over HTTP+JSON', async () => {
    const client = overRest(`${origin}/plain`);
    expect(await refusal(client.query({ query: '{ __typename }' }))).toMatchObject({
      reason: 'KNOWLEDGE_NOT_SUPPORTED',
      status: 501,
      message: 'The agent plain has no knowledge graph',
    });
  });

  it('errors of the knowledge extension have the gRPC status UNIMPLEMENTED for an agent without knowledge', async () => {
    const client = overConnectEs(transports.gRPC?.(origin) as never, 'plain');
    expect(await refusal(client.query({ query: '{ __typename }' }))).toMatchObject({
      reason: 'KNOWLEDGE_NOT_SUPPORTED',
      status: 12,
    });
  });
});

it('each agent and each of its tenants has separate knowledge', async () => {
  const id = newId();
  const known = async (client: KnowledgeClient): Promise<number> => {
    const { data } = (await client.query(about(id))) as { data: { statements: { totalCount: number } } };
    return data.statements.totalCount;
  };
  await overRest(`${origin}/facts/acme`).update({ mutations: [{ op: 'add', statement: statement(id) }] });
  expect(await known(overRest(`${origin}/facts/acme`))).toBe(1);
  expect(await known(overRest(`${origin}/facts`))).toBe(0);
  expect(await known(overRest(`${origin}/other`))).toBe(0);
  const inTenant = overConnectEs(transports.gRPC?.(origin) as never, 'facts');
  expect((await inTenant.query({ ...about(id), tenant: 'facts/acme' })).data).toMatchObject({
    statements: { totalCount: 1 },
  });
});

it('an update with an idempotency key is carried out once', async () => {
  const id = newId();
  const client = overJsonRpc(`${origin}/facts`, { 'Idempotency-Key': 'k-1' });
  const add = { mutations: [{ op: 'add', statement: statement(id) }] };
  const first = await client.update(add);
  expect(first.statementsAffected).toBe(1);
  await overJsonRpc(`${origin}/facts`).update({ mutations: [{ op: 'remove', statement: statement(id) }] });
  expect(await client.update(add)).toEqual(first);
  expect(await client.query(about(id))).toMatchObject({ data: { statements: { totalCount: 0 } } });
  const another = { mutations: [{ op: 'remove', statement: statement(id) }] };
  expect(await refusal(client.update(another))).toMatchObject({ reason: 'IDEMPOTENCY_KEY_REUSED' });
});

it('an update may contain nulls and names in snake case', async () => {
  const id = newId();
  const client = overJsonRpc(`${origin}/facts`);
  const resource = { id: 'urn:x', value: null, type: null };
  const { subject, predicate } = statement(id);
  const full = { subject, predicate, object: resource, graph: null, certainty: null, provenance: null };
  expect(
    await client.update({ mutations: [{ op: 'add', statement: full }], source_agent_id: 'a', taskId: null }),
  ).toMatchObject({ statementsAffected: 1 });
  const query = 'query ($id: ID!) { statements(subject: $id) { nodes { object { id } provenance } } }';
  expect(
    await client.query({ query, query_language: 'graphql', variables: { id }, requiredCertainty: null }),
  ).toMatchObject({
    data: { statements: { nodes: [{ object: { id: 'urn:x' }, provenance: { sourceAgentId: 'a' } }] } },
  });
});

it('a subscription that ends before its first event resumes from its start', async () => {
  const { gateway: own, url } = await openGateway(config);
  const add = { mutations: [{ op: 'add', statement: statement(newId()) }] };
  await overRest(`${url}/facts`).update(add);
  const post = (path: string, body: object): Promise<Response> =>
    fetch(url + path, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
  const params = { subscriptionQuery: '{}' };
  const streams = await Promise.all([
    post('/facts', { jsonrpc: '2.0', id: 1, method: 'knowledge/subscribe', params }),
    post('/facts/knowledge:subscribe', params),
  ]);
  await own.close({ drainMs: 0 });
  for (const stream of streams) expect(await stream.text()).toMatch(/\nid: 1\ndata: .*The gateway is stopping/);
});

it('the OpenAPI document describes the knowledge extension', async () => {
  const document = (await (await fetch(`${origin}/openapi.json`)).json()) as {
    paths: Record<string, unknown>;
    components: { schemas: Record<string, unknown> };
  };
  const paths = ['/knowledge:query', '/knowledge:update', '/knowledge:subscribe', '/message:send'];
  expect(Object.keys(document.paths)).toEqual(expect.arrayContaining(paths));
  expect(document.components.schemas.KGStatement).toMatchObject({
    properties: { certainty: { type: 'number' } },
    required: ['subject', 'predicate', 'object'],
  });
});

describe('agent cards', () => {
  const card = async (path: string, version?: string) => {
    const response = await fetch(origin + path, { headers: versionHeader(version) });
    return ((await response.json()) as { capabilities: Record<string, unknown> }).capabilities;
  };
  const extension = {
    uri: 'urn:a2a-gateway-extension:knowledge-graph',
    description: expect.any(String),
    params: { queryLanguages: ['graphql'] },
  };
  const flags = { knowledgeGraph: true, knowledgeGraphQueryLanguages: ['graphql'] };

  it('agent cards of v1 declare the extension', async () => {
    const capabilities = await card('/facts/.well-known/agent-card.json', '1.0');
    expect(capabilities).toMatchObject({ extensions: expect.arrayContaining([expect.objectContaining(extension)]) });
    expect(capabilities).not.toHaveProperty('knowledgeGraph');
  });

  it.each([
    ['/facts/.well-known/agent-card.json', '0.3'],
    ['/facts/.well-known/agent-card.json', undefined],
    ['/facts/.well-known/agent.json', undefined],
    ['/facts/as/a2a-0.2/.well-known/agent.json', undefined],
    ['/facts/as/a2a-0.1/.well-known/agent.json', undefined],
    ['/facts/agent-card.json', undefined],
  ])('agent cards at %s, version %s, have the flags', async (path, version) =>
    expect(await card(path, version)).toMatchObject(flags),
  );

  it.each([['1.0'], ['0.3'], [undefined]])(
    'agent cards of agents without knowledge do not declare it (%s)',
    async (version) => {
      const capabilities = await card('/plain/.well-known/agent-card.json', version);
      expect(JSON.stringify(capabilities)).not.toContain('knowledge');
    },
  );
});

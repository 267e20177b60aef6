import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, expect, it } from 'vitest';
import { newFolder } from '../../support/folders.ts';
import { openGateway } from '../../support/gateway.ts';
import { type KnowledgeClient, overConnectEs, overJsonRpc, transports } from '../../support/knowledge-clients.ts';
import { type SparqlServer, startSparqlServer } from '../../support/sparql-server.ts';

/** Backends of knowledge: the gateway's store, a graph database, an agent somewhere else. */

const shapes = `
  @prefix : <https://example.org/> . @prefix sh: <http://www.w3.org/ns/shacl#> .
  @prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
  :PersonShape a sh:NodeShape ; sh:targetClass :Person ;
    sh:property [ sh:path :name ; sh:minCount 1 ; sh:datatype xsd:string ] .`;

let database: SparqlServer;
let agentsUrl: string;
let here: string;

/** Ways to reach an agent elsewhere: every binding, in generations that have it. */
const ways = [
  ['a2a-1.0', 'jsonrpc'],
  ['a2a-1.0', 'rest'],
  ['a2a-1.0', 'grpc'],
  ['a2a-0.3', 'jsonrpc'],
  ['a2a-0.3', 'rest'],
  ['a2a-0.2', 'jsonrpc'],
  ['a2a-0.1', 'jsonrpc'],
] as const;

/** Generations whose card is found below a path of their own. */
const pinned: ReadonlySet<string> = new Set(['a2a-0.1', 'a2a-0.2']);

beforeAll(async () => {
  const folder = newFolder();
  await writeFile(join(folder, 'shapes.ttl'), shapes);
  database = await startSparqlServer();
  const settings =
    'shapes: ./shapes.ttl, requireJustification: true, ' +
    'protected: { predicates: { "https://example.org/secret": { read: [], write: [] } } }';
  const agents = await openGateway(
    `
defaultAgent: own
agents:
  own: { kind: reference, knowledge: { ${settings} } }
  database:
    kind: reference
    knowledge: { ${settings}, sparql: { query: "${database.query}", update: "${database.update}" } }
  plain: { kind: reference }
`,
    { file: join(folder, 'gateway.yaml') },
  );
  agentsUrl = agents.url;
  const bridged = ways.map(
    ([dialect, transport]) =>
      `  ${name(dialect, transport)}: { kind: upstream, url: "${agentsUrl}/own${pinned.has(dialect) ? `/as/${dialect}` : ''}", dialect: "${dialect}", transport: ${transport} }`,
  );
  const gateway = await openGateway(`
agents:
${bridged.join('\n')}
  plain: { kind: upstream, url: "${agentsUrl}/plain" }
`);
  here = gateway.url;
});

const name = (dialect: string, transport: string): string => `${dialect}-${transport}`.replaceAll('.', '-');

const ex = (id: string): string => `https://example.org/${id}`;
const type = 'http://www.w3.org/1999/02/22-rdf-syntax-ns#type';
const person = (id: string) => ({
  op: 'add',
  statement: { subject: { id: ex(id) }, predicate: { id: type }, object: { id: ex('Person') } },
});
const named = (id: string, value: string | number) => ({
  op: 'add',
  statement: { subject: { id: ex(id) }, predicate: { id: ex('name') }, object: { value }, certainty: 0.75 },
});
const justification = 'It was seen';

/** Checks that hold for every backend. */
async function hold(client: KnowledgeClient, id: string): Promise<void> {
  const changes = await client.subscribe({
    subscriptionQuery: 'subscription($id: ID) { statementChanged(subject: $id) { op statement { object { value } } } }',
    queryLanguage: 'graphql',
    variables: { id: ex(id) },
  });
  const refused = await client.update({ mutations: [person(id)], justification });
  expect(refused).toMatchObject({
    success: false,
    verificationStatus: 'Rejected - Constraint Violation',
    verificationDetails: `shapes: ${ex(id)} ${ex('name')}: Less than 1 values`,
  });
  expect(refused.statementsAffected ?? 0).toBe(0);
  expect(await client.update({ mutations: [named(id, 'x')] })).toMatchObject({
    success: false,
    verificationDetails: 'requireJustification: the update has no justification',
  });
  const secret = { op: 'add', statement: { ...named(id, 1).statement, predicate: { id: ex('secret') } } };
  await expect(client.update({ mutations: [secret], justification })).rejects.toMatchObject({
    reason: 'ALIGNMENT_VIOLATION',
  });
  const done = await client.update({
    mutations: [named(id, 'Ann'), person(id)],
    justification,
    sourceAgentId: 'tester',
  });
  expect(done).toMatchObject({
    success: true,
    statementsAffected: 2,
    affectedIds: [ex(id)],
    verificationStatus: 'Verified',
    verificationDetails: 'verified by: protected, requireJustification, shapes',
  });
  const query = `query($id: ID!) { statements(subject: $id, predicate: "${ex('name')}") { totalCount nodes { object { value } certainty provenance } } entity(id: $id) { types } }`;
  expect(await client.query({ query, queryLanguage: 'graphql', variables: { id: ex(id) } })).toMatchObject({
    data: {
      statements: {
        totalCount: 1,
        nodes: [{ object: { value: 'Ann' }, certainty: 0.75, provenance: { sourceAgentId: 'tester', justification } }],
      },
      entity: { types: [ex('Person')] },
    },
  });
  const { value: change } = await changes.next();
  expect(change).toMatchObject({
    op: 'add',
    statement: { object: { value: 'Ann' } },
    changeMetadata: { justification },
  });
  await changes.return?.();
  const after = Number((change.changeMetadata as { position: number }).position);
  const resumed = await client.subscribe(
    { subscriptionQuery: 'subscription { statementChanged { op } }', queryLanguage: 'graphql' },
    after,
  );
  expect((await resumed.next()).value).toMatchObject({ statement: { object: { id: ex('Person') } } });
  await resumed.return?.();
  await expect(client.query({ query: '{ nothing }', queryLanguage: 'graphql' })).rejects.toMatchObject({
    reason: 'KNOWLEDGE_QUERY_FAILED',
  });
}

it('knowledge in the store of the gateway is queried, updated and subscribed to', () =>
  hold(overJsonRpc(`${agentsUrl}/own`), 'own'));

it('knowledge in a graph database is queried, updated and subscribed to', async () => {
  await hold(overJsonRpc(`${agentsUrl}/database`), 'database');
  expect(database.store.query(`ASK { <${ex('database')}> <${ex('name')}> "Ann" }`)).toBe(true);
});

it.each(ways)('knowledge of an upstream agent in %s over %s is read from that agent', async (dialect, transport) => {
  const agent = name(dialect, transport);
  await hold(overJsonRpc(`${here}/${agent}`), agent);
  const make = transports.gRPC;
  if (make) await hold(overConnectEs(make(here), agent), `${agent}-grpc`);
});

it('knowledge of an upstream agent is declared in its card at the gateway', async () => {
  const card = async (agent: string): Promise<{ capabilities: Record<string, unknown> }> =>
    (await fetch(`${here}/${agent}/.well-known/agent.json`)).json() as Promise<{
      capabilities: Record<string, unknown>;
    }>;
  expect(await card(name('a2a-0.1', 'jsonrpc'))).toMatchObject({
    capabilities: { knowledgeGraph: true, knowledgeGraphQueryLanguages: ['graphql'] },
  });
  expect((await card('plain')).capabilities.knowledgeGraph).toBeUndefined();
  await expect(overJsonRpc(`${here}/plain`).query({ query: '{ a }', queryLanguage: 'graphql' })).rejects.toMatchObject({
    reason: 'KNOWLEDGE_NOT_SUPPORTED',
  });
});

/** `graphql` and `n3`: a knowledge graph is filled from an RDF file by the command, and queried in GraphQL and SPARQL. */
import { deepEqual, equal, match } from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { connect } from 'a2a-gateway';
import { gatewayWith } from './support.mjs';

const gateway = gatewayWith({
  listen: { host: 'localhost', port: 0 },
  agents: { demo: { kind: 'reference', knowledge: true } },
});
const { url } = await gateway.listen();
writeFileSync('facts.ttl', '<urn:a> <urn:knows> <urn:b> ; <urn:name> "Ada"@en .\n');
const command = ['node_modules/a2a-gateway/bin/a2a-gateway.js', 'knowledge'];
const run = (...args) => promisify(execFile)(process.execPath, [...command, ...args]);
await run('import', url, 'facts.ttl');
match((await run('export', url)).stdout, /<urn:a> <urn:name> "Ada"@en \./);

const client = await connect(url, { as: 'a2a-1.0' });
const query = `query ($first: Int!, $no: Boolean!) {
  statements(first: $first) { totalCount nodes { predicate { id } graph @skip(if: $no) } pageInfo { hasNextPage } }
  __schema { queryType { name } }
}`;
const { data } = await client.knowledge.query({ query, queryLanguage: 'graphql', variables: { first: 1, no: true } });
equal(data.statements.totalCount, 2);
equal(data.statements.pageInfo.hasNextPage, true);
deepEqual(Object.keys(data.statements.nodes[0]), ['predicate']);
equal(data.__schema.queryType.name, 'Query');
const refused = await client.knowledge
  .query({ query: '{ statements { none } }', queryLanguage: 'graphql' })
  .catch((error) => error);
match(refused.message, /Cannot query field "none"/);
await client.close();
await gateway.close();

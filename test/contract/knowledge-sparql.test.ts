import { afterAll, afterEach, describe } from 'vitest';
import type { KnowledgeStore } from '../../src/core/ports/knowledge-store.ts';
import { createSparqlKnowledge } from '../../src/knowledge/sparql/store.ts';
import { createHttpClient } from '../../src/net/http-client.ts';
import { silent } from '../support/core.ts';
import { type SparqlServer, startSparqlServer } from '../support/sparql-server.ts';
import { properties } from './knowledge.properties.ts';
import { reading } from './knowledge.reading.ts';
import { updating } from './knowledge.updating.ts';
import type { StoreKind } from './store.suite.ts';

const http = createHttpClient();
const servers: SparqlServer[] = [];

afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => server.close()));
});
afterAll(() => http.close());

async function open(defaultGraph?: string): Promise<KnowledgeStore> {
  const server = await startSparqlServer();
  servers.push(server);
  return createSparqlKnowledge({ ...server, http, logger: silent, defaultGraph });
}

/** A database of one's own has graphs of its own, whichever agent uses it. */
const kind = (name: string, defaultGraph?: string): StoreKind => {
  const database = async () => ({ open: async () => ({ knowledge: await open(defaultGraph) }) });
  return { name, database, runs: 6, agentsShare: true } as unknown as StoreKind;
};

describe('knowledge behind a SPARQL endpoint', () => {
  updating(kind('SPARQL'));
  reading(kind('SPARQL'));
  properties(kind('SPARQL'));
});

describe('knowledge behind a SPARQL endpoint, with a graph for the default graph', () => {
  reading(kind('SPARQL', 'https://example.org/main'));
});

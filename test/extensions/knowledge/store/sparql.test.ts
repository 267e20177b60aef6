import { afterAll, describe } from 'vitest';
import { createSparqlKnowledge } from '../../../../src/extensions/knowledge/sparql/store.ts';
import type { KnowledgeStore } from '../../../../src/extensions/knowledge/store/port.ts';
import { createHttpClient } from '../../../../src/net/http-client.ts';
import { DamagedRowList } from '../../../../src/stores/damaged-rows.ts';
import { silent } from '../../../support/core.ts';
import { startSparqlServer } from '../../../support/sparql-server.ts';
import type { KnowledgeKind } from './fixtures.ts';
import { properties } from './properties.ts';
import { reading } from './reading.ts';
import { updating } from './updating.ts';

const http = createHttpClient();

afterAll(() => http.close());

async function open(defaultGraph?: string): Promise<KnowledgeStore> {
  const server = await startSparqlServer();
  return createSparqlKnowledge({
    ...server,
    http,
    logger: silent,
    damaged: new DamagedRowList(undefined),
    defaultGraph,
  });
}

/** A database of one's own has graphs of its own, whichever agent uses it. */
const kind = (name: string, defaultGraph?: string): KnowledgeKind => ({
  name,
  database: async () => ({ open: () => open(defaultGraph) }),
  runs: 3,
  agentsShare: true,
});

describe('knowledge behind a SPARQL endpoint', () => {
  updating(kind('SPARQL'));
  reading(kind('SPARQL'));
  properties(kind('SPARQL'));
});

describe('knowledge behind a SPARQL endpoint, with a graph for the default graph', () => {
  reading(kind('SPARQL', 'https://example.org/main'));
});

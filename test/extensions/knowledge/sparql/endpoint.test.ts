import { expect, test } from 'vitest';
import { createEndpoint } from '../../../../src/extensions/knowledge/sparql/endpoint.ts';
import { createHttpClient } from '../../../../src/net/http-client.ts';
import { silent } from '../../../support/core.ts';
import { afterTest, sendJson, serve } from '../../../support/peer.ts';

/** A SPARQL endpoint that closes the first connection of each address instead of answering. */
async function unreliable() {
  const asked: string[] = [];
  const url = await serve((req, res) => {
    const path = req.url ?? '';
    asked.push(path);
    if (asked.indexOf(path) === asked.length - 1) res.destroy();
    else sendJson(res, { results: { bindings: [] } });
  });
  const http = createHttpClient({});
  afterTest(() => http.close());
  const endpoint = createEndpoint({ query: `${url}/query`, update: `${url}/update`, http, logger: silent });
  return { endpoint, asked };
}

test('a SPARQL query is sent again if the endpoint closes the connection instead of answering', async () => {
  const { endpoint, asked } = await unreliable();
  expect(await endpoint.select('SELECT * { ?s ?p ?o }')).toEqual([]);
  expect(asked).toEqual(['/query', '/query']);
});

test('a SPARQL update is sent once, even if the endpoint closes the connection instead of answering', async () => {
  const { endpoint, asked } = await unreliable();
  await expect(endpoint.update('CLEAR ALL')).rejects.toMatchObject({ kind: 'unavailable' });
  expect(asked).toEqual(['/update']);
});

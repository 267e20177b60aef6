import { join } from 'node:path';
import { expect, it, onTestFinished, vi } from 'vitest';
import { createSparqlKnowledge } from '../../../../src/extensions/knowledge/sparql/store.ts';
import type { KnowledgeStore } from '../../../../src/extensions/knowledge/store/port.ts';
import { openSqlKnowledge } from '../../../../src/extensions/knowledge/store/store.ts';
import { createHttpClient } from '../../../../src/net/http-client.ts';
import { DamagedRowList } from '../../../../src/stores/damaged-rows.ts';
import { openStore, silent } from '../../../support/core.ts';
import { newFolder } from '../../../support/folders.ts';
import { openGateway } from '../../../support/gateway.ts';
import { startSparqlServer } from '../../../support/sparql-server.ts';
import { add, say, space } from './fixtures.ts';

const write = (store: KnowledgeStore) => store.apply(space, [add(say('a', 'is', 1)), add(say('b', 'is', 2))], {});

async function graphDatabase() {
  const server = await startSparqlServer();
  const http = createHttpClient();
  const store = createSparqlKnowledge({
    query: server.query,
    update: server.update,
    http,
    logger: silent,
    damaged: new DamagedRowList(undefined),
  });
  onTestFinished(async () => {
    store.close();
    http.close();
  });
  await write(store);
  return { server, store };
}

it('old changes are deleted from the gateway’s store and from graph databases, also while one of these fails', async () => {
  const folder = newFolder();
  const url = `sqlite:${join(folder, 'gateway.db')}`;
  /** The part of the log in the gateway's store that is retained. */
  const own = async <T>(use: (store: KnowledgeStore) => Promise<T>): Promise<T> => {
    const store = await openStore(url);
    const knowledge = await store.extend(openSqlKnowledge);
    return use(knowledge).finally(() => store.close());
  };
  await own(write);
  const [failing, working] = [await graphDatabase(), await graphDatabase()];
  failing.server.answer = () => 500;
  await new Promise((resolve) => setTimeout(resolve, 5));
  const error = vi.fn();
  const sparql = ({ query, update }: typeof working.server): string =>
    `{ kind: reference, knowledge: { sparql: { query: "${query}", update: "${update}" } } }`;
  const open = (changes: string) =>
    openGateway(
      `
store: "${url}"
retention: { changes: ${changes} }
agents:
  failing: ${sparql(failing.server)}
  facts: { kind: reference, knowledge: {} }
  working: ${sparql(working.server)}`,
      { logger: { ...silent, error } },
    );
  await (await open('forever')).close();
  expect(await working.store.extent(space)).toEqual({ first: 1, last: 2 });
  expect(await own((store) => store.extent(space))).toEqual({ first: 1, last: 2 });
  const gateway = await open('1ms');
  await expect.poll(() => working.store.extent(space)).toEqual({ first: 3, last: 2 });
  await vi.waitFor(() => expect(error).toHaveBeenCalled());
  await gateway.close();
  expect(error.mock.calls.map(([, message]) => message)).toEqual(['expired knowledge changes could not be deleted']);
  expect(await own((store) => store.extent(space))).toEqual({ first: 3, last: 2 });
});

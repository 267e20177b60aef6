import { expect, it } from 'vitest';
import { connect } from '../../../src/client/index.ts';
import { answering, startCopy } from '../../support/agents/copies.ts';
import { openGateway } from '../../support/gateway.ts';
import { overJsonRpc } from '../../support/knowledge-clients.ts';
import { afterTest } from '../../support/peer.ts';

/** The card and the knowledge of an agent that has several copies. */

it('the card of an agent with several copies is that of the first copy that answers', async () => {
  const [a, b] = [await startCopy('a'), await startCopy('b')];
  await a.close();
  const { url } = await openGateway(`agents: { far: { kind: upstream, url: ['${a.url}', '${b.url}'] } }`);
  const read = async (path: string) => (await (await fetch(`${url}${path}`)).json()) as Record<string, unknown>;
  await expect.poll(async () => (await read('/far/.well-known/agent-card.json')).description).toBe('b');
  const ready = { agents: { far: { state: 'ok', copies: '1 of 2 answer' } } };
  await expect.poll(() => read('/readyz')).toMatchObject(ready);
});

it('the knowledge graph and the extended card are those of the first copy that answers', async () => {
  const start = () => openGateway('agents: { own: { kind: reference, knowledge: true } }');
  const copies = [await start(), await start()];
  const urls = copies.map(({ url }) => `'${url}/own'`).join(', ');
  const { url } = await openGateway(`agents: { far: { kind: upstream, url: [${urls}] } }`);
  await answering(url, 2);
  const far = await connect(`${url}/far`);
  afterTest(() => far.close());
  await far.send('hello');
  expect((await far.getExtendedAgentCard({})).skills.map(({ id }) => id)).toContain('extended');

  const knowledge = overJsonRpc(`${url}/far`);
  const statement = { subject: { id: 'urn:s' }, predicate: { id: 'urn:p' }, object: { value: 'x' } };
  expect(await knowledge.update({ mutations: [{ op: 'add', statement }] })).toMatchObject({ success: true });
  const count = async () => {
    const query = { query: '{ statements { totalCount } }', queryLanguage: 'graphql' };
    const { data } = await knowledge.query(query);
    return (data as { statements: { totalCount: number } }).statements.totalCount;
  };
  // Each has a graph of its own here.
  expect(await count()).toBe(1);
  await copies[0]?.close();
  await expect.poll(() => count().catch(() => undefined)).toBe(0);
});

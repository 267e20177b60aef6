import type { LookupAddress } from 'node:dns';
import { createServer } from 'node:http';
import { describe, expect, it } from 'vitest';
import { type Client, connect } from '../../../src/client/index.ts';
import { answering, nameIn, type StartedCopy, startCopy } from '../../support/agents/copies.ts';
import { silent } from '../../support/core.ts';
import { openGateway } from '../../support/gateway.ts';
import { overJsonRpc } from '../../support/knowledge-clients.ts';
import { afterTest, freePort, listenOn } from '../../support/peer.ts';
import { startBridge } from '../../support/upstreams.ts';

/** Copies that are translated only, those of one name with several addresses, and what else they have. */

async function translated(...copies: readonly StartedCopy[]): Promise<Client> {
  const { origin, client } = await startBridge({ far: { url: copies[0]?.url ?? '', keep: 'none', copies } });
  await answering(origin, copies.length);
  return client('far');
}

describe('copies whose tasks are not kept', () => {
  it('keep their tasks and conversations, under their own ids', async () => {
    const [a, b] = [await startCopy('a'), await startCopy('b')];
    const client = await translated(a, b);
    const asked = await Promise.all([1, 2, 3, 4].map(() => client.send('ask')));
    expect([a.texts.length, b.texts.length]).not.toContain(0);
    const ids = asked.map(({ task }) => task?.id ?? '');
    const direct = await connect(a.url);
    afterTest(() => direct.close());
    const { tasks } = await direct.listTasks({});
    expect(ids).toEqual(expect.arrayContaining(tasks.map(({ id }) => id)));
    for (const id of ids) expect((await client.getTask({ id })).id).toBe(id);
    const answers = await Promise.all(ids.map((taskId) => client.send('more', { taskId })));
    expect(a.texts.filter((text) => text === 'more')).toHaveLength(a.texts.filter((text) => text === 'ask').length);
    expect(answers.map(({ task }) => nameIn(task))).toEqual(expect.arrayContaining(['a', 'b']));
    const again = await Promise.all(
      answers.map(({ task }) => client.send('again', { contextId: task?.contextId ?? '' })),
    );
    expect(again.map(({ task }) => nameIn(task))).toEqual(answers.map(({ task }) => nameIn(task)));
  });

  it('are asked for tasks that another gateway has opened, and list all', async () => {
    const [a, b] = [await startCopy('a'), await startCopy('b')];
    const before = await translated(a, b);
    const ids = (await Promise.all([1, 2, 3, 4, 5, 6].map(() => before.send('ask')))).map(({ task }) => task?.id ?? '');
    const client = await translated(b, a);
    for (const id of ids.slice(0, 3)) expect((await client.getTask({ id })).id).toBe(id);
    expect((await client.cancelTask({ id: ids[3] ?? '' })).status.state).toBe('TASK_STATE_CANCELED');
    expect(nameIn((await client.send('more', { taskId: ids[4] ?? '' })).task)).toMatch(/^[ab]$/);
    const listed: string[] = [];
    let pageToken = '';
    do {
      const page = await client.listTasks({ pageSize: 2, pageToken });
      listed.push(...page.tasks.map(({ id }) => id));
      pageToken = page.nextPageToken;
    } while (pageToken !== '');
    expect(listed.sort()).toEqual(ids.sort());
    await expect(client.getTask({ id: 'unknown' })).rejects.toMatchObject({ kind: 'taskNotFound' });
    await expect(client.listTasks({ pageToken: 'other' })).rejects.toMatchObject({ kind: 'invalidParams' });
    await b.close();
    // The copy that does not answer may have it.
    await expect(client.getTask({ id: 'unknown' })).rejects.toMatchObject({ kind: 'upstreamUnreachable' });
  });

  it('get the messages that another one cannot have got', async () => {
    const [a, b] = [await startCopy('a'), await startCopy('b')];
    const client = await translated(a, b);
    await Promise.all([client.send('hello'), client.send('hello')]);
    await a.close();
    for (let i = 0; i < 4; i += 1) expect(nameIn((await client.send('hello')).task)).toBe('b');
  });
});

/** The settings of a gateway at an address, whose cards and callers say `agents.test`. */
const namedAt = (host: string, port: number): string =>
  `listen: { host: ${host}, port: ${port}, publicUrl: 'http://agents.test:${port}' }\nauth: { anonymous: true }`;

it('each address of a name is a copy, as long as the name leads there', async () => {
  const port = await freePort();
  const at = (host: string) => namedAt(host, port);
  const [a, b] = [await startCopy('a', at('127.0.0.1')), await startCopy('b', at('127.0.0.2'))];
  const addresses = ['127.0.0.1', '127.0.0.2'].map((address): LookupAddress => ({ address, family: 4 }));
  let found = addresses;
  const { origin, client: open } = await startBridge({
    far: { url: a.url, addressesOf: async () => found, lookupInterval: 20 },
  });
  await answering(origin, 2);
  const client = await open('far');
  const name = async () => nameIn((await client.send('hello')).task);
  expect([await name(), await name(), await name(), await name()]).toEqual(expect.arrayContaining(['a', 'b']));
  const waiting = [
    await client.send('wait', { returnImmediately: true }),
    await client.send('wait', { returnImmediately: true }),
  ];
  const waits = ({ texts }: StartedCopy) => texts.filter((text) => text === 'wait').length;
  await expect.poll(() => [waits(a), waits(b)]).toEqual([1, 1]);
  found = addresses.slice(1);
  await expect.poll(async () => [await name(), await name(), await name()]).toEqual(['b', 'b', 'b']);
  // What is under way at an address that is gone comes to its end there.
  a.release();
  b.release();
  const ends = async () =>
    (await Promise.all(waiting.map(({ task }) => client.getTask({ id: task?.id ?? '' })))).map(nameIn).sort();
  await expect.poll(ends).toEqual(['a', 'b']);
  found = [];
  expect(await name()).toBe('b');
  found = addresses;
  await expect.poll(async () => [await name(), await name(), await name()]).toContain('a');
});

it('a name that leads nowhere is looked up again, and callers do not learn it', async () => {
  const { url } = await startCopy('a', namedAt('127.0.0.1', await freePort()));
  let found: LookupAddress[] = [];
  const { client: open } = await startBridge({ far: { url, addressesOf: async () => found, lookupInterval: 20 } });
  const client = await open('far');
  const refused = await client.send('hello').catch((thrown: unknown) => thrown);
  expect(refused).toMatchObject({ kind: 'upstreamUnreachable' });
  expect(String(refused)).not.toContain('agents.test');
  found = [{ address: '127.0.0.1', family: 4 }];
  await expect.poll(async () => nameIn((await client.send('hello').catch(() => ({ task: undefined }))).task)).toBe('a');
});

it('copies whose cards lead to the same address are told of in the log', async () => {
  const a = await startCopy('a');
  const front = await listenOn(
    createServer(async (req, res) => {
      const answer = await fetch(new URL(req.url ?? '', a.url));
      res.writeHead(answer.status, { 'content-type': 'application/json' }).end(await answer.text());
    }),
  );
  const lines: string[] = [];
  const logger = { ...silent, warn: (_: unknown, text?: string) => void lines.push(String(text)) };
  const copies = [{ url: a.url }, { url: `${front.origin}/copy` }];
  await startBridge({ far: { url: a.url, copies, logger } });
  await expect.poll(() => lines).toContain('the cards of several copies of an upstream agent lead to the same address');
});

it('the card is that of the first copy that answers', async () => {
  const [a, b] = [await startCopy('a'), await startCopy('b')];
  await a.close();
  const { url } = await openGateway(`agents: { far: { kind: upstream, url: ['${a.url}', '${b.url}'] } }`);
  const read = async (path: string) => (await (await fetch(`${url}${path}`)).json()) as Record<string, unknown>;
  await expect.poll(async () => (await read('/far/.well-known/agent-card.json')).description).toBe('b');
  expect(await read('/readyz')).toMatchObject({ agents: { far: { state: 'ok', copies: '1 of 2 answer' } } });
});

it('knowledge and extended cards are those of the copies', async () => {
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
  // Each has a graph of its own here, and they take turns.
  expect([await count(), await count()].sort()).toEqual([0, 1]);
  await copies[0]?.close();
  expect(await count()).toBe(await count());
});

import { createHash } from 'node:crypto';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it } from 'vitest';
import { type Client, connect } from '../../../src/client/index.ts';
import type { Task } from '../../../src/core/model/a2a.ts';
import { Secret } from '../../../src/net/secret.ts';
import { answering, nameIn, type StartedCopy, startCopy } from '../../support/agents/copies.ts';
import { newFolder } from '../../support/folders.ts';
import { openGateway, startGateway } from '../../support/gateway.ts';
import { afterTest, bodyOf, listenOn } from '../../support/peer.ts';
import { hasty, startBridge, type UpstreamSettings } from '../../support/upstreams.ts';

/** Several copies of an upstream agent behind one name. */

const copiesOf = (...copies: { readonly url: string }[]): UpstreamSettings => ({ url: copies.map(({ url }) => url) });

const copiesIn = ({ url }: UpstreamSettings): number => [url].flat().length;

async function two(): Promise<{ a: StartedCopy; b: StartedCopy; both: UpstreamSettings }> {
  const [a, b] = await Promise.all([startCopy('a'), startCopy('b')]);
  return { a, b, both: copiesOf(a, b) };
}

/** A client of the copies, once all that are alive can be called. */
async function opened(far: UpstreamSettings, alive = copiesIn(far), store?: string): Promise<Client> {
  const bridge = await startBridge({ far }, store);
  if (alive > 1 || copiesIn(far) > 1) await answering(bridge.origin, alive);
  return bridge.client('far');
}

const sent = async (client: Client, text: string, options: object = {}): Promise<Task> =>
  (await client.send(text, options)).task ?? expect.fail('no task');
const begun = (client: Client, text: string): Promise<Task> => sent(client, text, { returnImmediately: true });
const names = async (client: Client, count: number): Promise<(string | undefined)[]> => {
  const found: (string | undefined)[] = [];
  for (let i = 0; i < count; i += 1) found.push(nameIn(await sent(client, 'hello')));
  return found;
};
const countOf = (all: readonly (string | undefined)[], name: string): number =>
  all.filter((each) => each === name).length;

it('the copies of a list take turns while they have as much to do, as the configuration lists them', async () => {
  const { a, b } = await two();
  const { url } = await openGateway(`agents: { far: { kind: upstream, url: ['${a.url}', '${b.url}'] } }`);
  await answering(url, 2);
  const client = await connect(`${url}/far`);
  afterTest(() => client.close());
  const found = await names(client, 10);
  for (const name of ['a', 'b']) expect(countOf(found, name)).toBeGreaterThanOrEqual(4);
});

it('the copies of a list get new tasks where the fewest are under way', async () => {
  const { a, b, both } = await two();
  const client = await opened(both);
  const waiting = (count: number) => Promise.all(Array.from({ length: count }, () => begun(client, 'wait')));
  const counts = () => [a.texts.length, b.texts.length];
  await waiting(6);
  await expect.poll(counts).toEqual([3, 3]);
  a.release();
  await expect.poll(async () => (await client.listTasks({ status: 'TASK_STATE_COMPLETED' })).tasks).toHaveLength(3);
  expect(nameIn(await sent(client, 'hello'))).toBe('a');
  // Messages that begin at the same time are counted, too.
  await waiting(5);
  await expect.poll(counts).toEqual([8, 4]);
});

it('the copies of a list keep their tasks, with the messages that follow, and their conversations', async () => {
  const { a, b, both } = await two();
  const client = await opened(both);
  const asked = [await sent(client, 'ask'), await sent(client, 'ask'), await sent(client, 'ask')];
  expect([a.texts.length, b.texts.length].sort()).toEqual([1, 2]);
  const before = asked.map((_, at) => at);
  const first = await Promise.all(asked.map(({ id }) => sent(client, 'more', { taskId: id })));
  const again = await Promise.all(first.map(({ contextId = '' }) => sent(client, 'again', { contextId })));
  expect(again.map(nameIn)).toEqual(first.map(nameIn));
  expect(before.map((at) => nameIn(first[at]))).toSatisfy((all: string[]) => all[0] === all[2] && all[0] !== all[1]);
});

it.each(['a2a-0.3', 'agentvault-0.2'] as const)('the copies of a list may speak %s', async (as) => {
  const origins = [await startGateway(), await startGateway()].map(({ origin }) => origin);
  const urls = origins.map((origin) => ({ url: `${origin}/as/${as}/.well-known/agent-card.json` }));
  const client = await opened({ ...copiesOf(...urls), dialect: as });
  const asked = [await sent(client, 'ask'), await sent(client, 'ask')];
  for (const { id } of asked) {
    const { status, artifacts } = await sent(client, 'Ada', { taskId: id });
    expect([status.state, artifacts?.[0]?.parts[0]?.text]).toEqual(['TASK_STATE_COMPLETED', 'Hello, Ada']);
  }
});

it('the copies of a list are asked to cancel their own tasks', async () => {
  const { a, b, both } = await two();
  const client = await opened(both);
  const tasks = [await begun(client, 'wait'), await begun(client, 'wait')];
  await expect.poll(() => a.texts.length + b.texts.length).toBe(2);
  for (const { id } of tasks) {
    expect((await client.cancelTask({ id })).status.state).toBe('TASK_STATE_CANCELED');
  }
});

it('the copies of a list get the credentials of the agent, each at its own origin', async () => {
  const key = 'key-of-the-gateway';
  const hash = createHash('sha256').update(key).digest('hex');
  const settings = `auth: { anonymous: false, apiKeys: [{ name: gateway, hash: 'sha256:${hash}' }] }`;
  const [a, b] = [await startCopy('a', settings), await startCopy('b', settings)];
  const client = await opened({ ...copiesOf(a, b), auth: { type: 'apiKey', key: new Secret(key) } });
  expect(await names(client, 4)).toEqual(expect.arrayContaining(['a', 'b']));
  expect(a.texts.length + b.texts.length).toBe(4);
});

it('a copy that fails at the start is left out', async () => {
  const { a, b, both } = await two();
  await a.close();
  const client = await opened(both, 1);
  expect(await names(client, 6)).toEqual(['b', 'b', 'b', 'b', 'b', 'b']);
  expect(b.texts).toHaveLength(6);
});

it('a copy that fails before it got a message loses it to another one, and comes back', async () => {
  const a = await startCopy('a');
  const b = await startCopy('b');
  const client = await opened(copiesOf(a, b));
  expect(await names(client, 4)).toEqual(expect.arrayContaining(['a', 'b']));
  await a.close();
  expect(await names(client, 6)).toEqual(['b', 'b', 'b', 'b', 'b', 'b']);
  const { hostname: host, port } = new URL(a.url);
  await startCopy('a', `listen: { host: ${host}, port: ${port} }`);
  await expect.poll(() => names(client, 2)).toContain('a');
});

it('a copy that fails in mid-stream takes its tasks with it, and no others', async () => {
  const { a, b, both } = await two();
  const bounds = { ...hasty, restart: 300 };
  const client = await opened({ ...both, bounds });
  const tasks = [await begun(client, 'chunks'), await begun(client, 'chunks')];
  await expect.poll(() => [a.texts.length, b.texts.length]).toEqual([1, 1]);
  for (const { id } of tasks) {
    await expect.poll(async () => (await client.getTask({ id })).artifacts?.length ?? 0).toBeGreaterThan(0);
  }
  await a.close();
  const states = async () => {
    const all = await Promise.all(tasks.map(({ id }) => client.getTask({ id })));
    return all.map(({ status }) => status.state).sort();
  };
  await expect.poll(states).toEqual(['TASK_STATE_FAILED', 'TASK_STATE_WORKING']);
  expect(await names(client, 3)).toEqual(['b', 'b', 'b']);
});

it('a copy that fails with 503 is left out after that, and the message is not sent to another one', async () => {
  const { a, b } = await two();
  const target = new URL(a.url);
  let isBusy = false;
  const busy = await listenOn(
    createServer(async (req, res) => {
      const body = await bodyOf(req);
      // Longer than a call waits, so that it is left out for the whole test.
      if (isBusy) return res.writeHead(503, { 'retry-after': '60' }).end();
      const headers = { 'content-type': 'application/json', 'a2a-version': '1.0' };
      const init = { method: req.method ?? '', headers, ...(body !== '' && { body }) };
      const answer = await fetch(`${target.origin}${req.url}`, init);
      const text = (await answer.text()).replaceAll(target.origin, `http://${req.headers.host}`);
      res.writeHead(answer.status, { 'content-type': answer.headers.get('content-type') ?? '' }).end(text);
    }),
  );
  const both = copiesOf({ url: `${busy.origin}/copy` }, b);
  const client = await opened(both);
  expect((await names(client, 2)).sort()).toEqual(['a', 'b']);
  isBusy = true;
  const outcomes = await Promise.allSettled([sent(client, 'hello'), sent(client, 'hello')]);
  const texts = outcomes.map((each) => (each.status === 'fulfilled' ? nameIn(each.value) : undefined));
  expect(countOf(texts, 'b')).toBe(1);
  expect(await names(client, 4)).toEqual(['b', 'b', 'b', 'b']);
  expect(b.texts).toHaveLength(6);
});

it('a copy that fails is called for its own tasks alone where they are known to it', async () => {
  const { a, both } = await two();
  const client = await opened(both);
  const asked = [await sent(client, 'ask'), await sent(client, 'ask')];
  await a.close();
  const answers = await Promise.allSettled(asked.map(({ id }) => sent(client, 'more', { taskId: id })));
  expect(answers.flatMap((each) => (each.status === 'fulfilled' ? [nameIn(each.value)] : []))).toContain('b');
  const failed = await Promise.all(asked.map(({ id }) => client.getTask({ id })));
  expect(failed.filter(({ status }) => status.state !== 'TASK_STATE_COMPLETED')).toHaveLength(1);
});

describe('after a restart of the gateway', () => {
  const restarted = async (
    before: UpstreamSettings,
    after: UpstreamSettings,
    begin: (client: Client) => Promise<Task[]>,
  ) => {
    const file = join(newFolder(), 'gateway.db');
    const first = await startBridge({ far: before }, `sqlite:${file}`);
    if (copiesIn(before) > 1) await answering(first.origin, copiesIn(before));
    const tasks = await begin(await first.client('far'));
    await first.close();
    const client = await opened(after, copiesIn(after), `sqlite:${file}`);
    return { tasks, client, file };
  };

  it('after a restart of the gateway, tasks go on at their copies, in whatever order these are listed', async () => {
    const { a, b, both } = await two();
    const { tasks, client } = await restarted(both, copiesOf(b, a), async (before) => [
      await sent(before, 'ask'),
      await sent(before, 'ask'),
      await begun(before, 'wait'),
      await begun(before, 'wait'),
    ]);
    expect([a.texts, b.texts]).toEqual([
      ['ask', 'wait'],
      ['ask', 'wait'],
    ]);
    a.release();
    b.release();
    const [one, other, ...waited] = tasks;
    const answered = [one, other].map((task) => sent(client, 'more', { taskId: task?.id }));
    expect((await Promise.all(answered)).map(nameIn).sort()).toEqual(['a', 'b']);
    const ends = async () => (await Promise.all(waited.map(({ id }) => client.getTask({ id })))).map(nameIn).sort();
    await expect.poll(ends).toEqual(['a', 'b']);
  });

  it('after a restart of the gateway, a message whose answer was lost is sent again to the copy that may have it', async () => {
    const { a, b, both } = await two();
    const { tasks, client } = await restarted(both, copiesOf(b, a), async (before) => {
      const all = await Promise.all([1, 2, 3, 4].map(() => begun(before, 'mute')));
      await expect.poll(() => a.texts.length + b.texts.length).toBe(4);
      return all;
    });
    a.release();
    b.release();
    const ends = async () => (await Promise.all(tasks.map(({ id }) => client.getTask({ id })))).map(nameIn).sort();
    await expect.poll(ends).toEqual(['a', 'a', 'b', 'b']);
    expect([a.texts.length, b.texts.length]).toEqual([2, 2]);
  });

  it('after a restart of the gateway, an agent that has become a list has its tasks at the first copy', async () => {
    const { a, b, both } = await two();
    const { tasks, client, file } = await restarted({ url: a.url }, both, async (before) => [
      await sent(before, 'ask'),
      await sent(before, 'ask'),
    ]);
    const database = new DatabaseSync(file, { readOnly: true });
    afterTest(() => database.close());
    const stored = database.prepare('select upstream_id from task').all();
    expect(stored.every(({ upstream_id: id }) => /^[\da-f-]{36}$/.test(String(id)))).toBe(true);
    const ends = await Promise.all(tasks.map(({ id }) => sent(client, 'more', { taskId: id })));
    expect(ends.map(nameIn)).toEqual(['a', 'a']);
    const again = () => sent(client, 'again', { contextId: tasks[0]?.contextId });
    expect([nameIn(await again()), nameIn(await again()), b.texts]).toEqual(['a', 'a', []]);
  });

  it('after a restart of the gateway, the tasks of a copy that is gone from the list fail, and say why', async () => {
    const { a, both } = await two();
    const { tasks, client } = await restarted(both, copiesOf(a), async (before) => [
      await begun(before, 'wait'),
      await begun(before, 'wait'),
      await sent(before, 'ask'),
      await sent(before, 'ask'),
    ]);
    a.release();
    const [one, other, third, fourth] = tasks.map(({ id }) => id);
    const ends = async () =>
      (await Promise.all([one, other].map((id = '') => client.getTask({ id })))).map(
        (task) => nameIn(task) ?? task.status.message?.parts[0]?.text,
      );
    const reason = expect.stringContaining('The copy of the upstream agent that has this task is gone');
    await expect.poll(ends).toEqual(expect.arrayContaining(['a', reason]));
    // Tasks that wait for input can still be canceled, whichever copy has them.
    for (const id of [third, fourth]) {
      expect((await client.cancelTask({ id: id ?? '' })).status.state).toBe('TASK_STATE_CANCELED');
    }
  });
});

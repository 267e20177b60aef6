import { beforeAll, beforeEach, expect, it } from 'vitest';
import { answering, nameIn, startCopy } from '../../support/agents/copies.ts';
import { sharedPostgres } from '../../support/postgres.ts';
import { startReplica } from '../../support/replicas.ts';

/** Tasks at several copies of an upstream agent, which another replica goes on with. */

let url: string;
beforeAll(sharedPostgres);
beforeEach(async () => {
  url = await (await sharedPostgres()).database();
});

it('another replica goes on with tasks at their copies, also with those that had no answer yet', async () => {
  const [a, b] = [await startCopy('a'), await startCopy('b')];
  const config = `agents: { far: { kind: upstream, url: ['${a.url}', '${b.url}'] } }`;
  const [one, two] = [await startReplica(url, 'one', { config }), await startReplica(url, 'two', { config })];
  await answering(one.url, 2);
  const [here, there] = [await one.client(undefined, 'far'), await two.client(undefined, 'far')];
  const tasks: string[] = [];
  for (const text of ['ask', 'ask', 'wait', 'wait', 'mute', 'mute']) {
    tasks.push((await here.send(text, { returnImmediately: true })).task?.id ?? expect.fail('no task'));
  }
  const all = ['ask', 'wait', 'mute'];
  await expect
    .poll(() => [a.texts, b.texts].map((texts) => texts.toSorted()))
    .toEqual([all.toSorted(), all.toSorted()]);
  await one.close();

  for (const id of tasks.slice(0, 2)) await there.send('more', { taskId: id, returnImmediately: true });
  a.release();
  b.release();
  const ends = async () => (await Promise.all(tasks.map((id) => there.getTask({ id })))).map(nameIn).sort();
  await expect.poll(ends).toEqual(['a', 'a', 'a', 'b', 'b', 'b']);
  // Each message was carried out once.
  expect([a.texts, b.texts].map((texts) => texts.toSorted())).toEqual([
    [...all, 'more'].toSorted(),
    [...all, 'more'].toSorted(),
  ]);
});

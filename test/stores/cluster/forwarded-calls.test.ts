import { expect, it, vi } from 'vitest';
import type { ForwardedRequest } from '../../../src/core/ports/peers.ts';
import type { Store } from '../../../src/core/ports/store.ts';
import { TaskWriter } from '../../contract/store-fixtures.ts';
import { paced } from '../../support/pace.ts';
import { bury, cutListening, storesOnPostgres } from '../../support/peers.ts';
import { query } from '../../support/postgres.ts';

const database = storesOnPostgres();
const soon = { timeout: paced(8_000), interval: 5 };
const patient = (): AbortSignal => AbortSignal.timeout(paced(10_000));
const gone = { name: 'A2AError', kind: 'unavailable', retryAfter: 10 };

/** `one` works on a task, and answers what it is asked with what it was asked; `two` knows that. */
async function bench() {
  const { url, open } = await database();
  const one = await open('one');
  const two = await open('two');
  const writer = new TaskWriter({ chosenId: 'nul\0 and "quotes"' });
  await one.append(writer.create('TASK_STATE_WORKING'));
  const asked: ForwardedRequest[] = [];
  one.peers.onForwarded(async (question) => {
    asked.push(question);
    return question.body;
  });
  const worker = (await two.peers.leaseHolderOf(writer.key)) ?? '';
  const questions = async () => (await query(url, 'select * from question')).length;
  return { url, open, one, two, writer, asked, worker, questions };
}

const body = (n: number): string => JSON.stringify({ n, text: 'ünï\u0000\u0001 "\\' });

it('the lease holder of a task is another live gateway, or none', async () => {
  const { url, open, one, two, writer, worker } = await bench();
  expect(worker).toMatch(/^one\//);
  expect(await one.peers.leaseHolderOf(writer.key)).toBeUndefined();
  expect(await two.peers.leaseHolderOf('unknown')).toBeUndefined();
  expect(await one.peers.takenOver([writer.key])).toEqual([]);
  expect(await two.peers.takenOver([writer.key, 'unknown'])).toEqual([writer.key]);
  await one.append(writer.status('TASK_STATE_INPUT_REQUIRED'));
  expect(await two.peers.leaseHolderOf(writer.key)).toBeUndefined();
  const three = await open('three');
  const other = new TaskWriter();
  await three.append(other.create());
  expect(await two.peers.leaseHolderOf(other.key)).toMatch(/^three\//);
  await bury(url, 'three');
  expect(await two.peers.leaseHolderOf(other.key)).toBeUndefined();
});

it('a forwarded call is answered once, however many notifications arrive, and leaves nothing in the store', async () => {
  const { two, worker, asked, writer, questions } = await bench();
  const bodies = Array.from({ length: 60 }, (_, n) => body(n));
  const answers = await Promise.all(
    bodies.map((text) => two.peers.forward(worker, { key: writer.key, body: text }, patient())),
  );
  expect(answers).toEqual(bodies);
  expect(asked.map((question) => question.body).toSorted()).toEqual(bodies.toSorted());
  expect(new Set(asked.map(({ key }) => key))).toEqual(new Set([writer.key]));
  await vi.waitFor(async () => expect(await questions()).toBe(0), soon);
});

it('a forwarded call is answered also when no hint arrives', async () => {
  const { url, two, worker, asked, writer } = await bench();
  // More often than they can come back.
  const cutting = setInterval(() => void cutListening(url).catch(() => undefined), 20);
  const answer = await two.peers.forward(worker, { key: writer.key, body: body(1) }, patient());
  clearInterval(cutting);
  expect(answer).toBe(body(1));
  expect(asked).toHaveLength(1);
});

it('a forwarded call to a gateway that is not there is refused', async () => {
  const { two, writer } = await bench();
  await expect(two.peers.forward('nobody/1', { key: writer.key, body: '1' }, patient())).rejects.toMatchObject(gone);
});

it.each<[string, (one: Store, url: string) => Promise<unknown>]>([
  ['closes', (one) => one.close()],
  ['is taken for dead', (_, url) => bury(url, 'one')],
])('a forwarded call is given up when the asked replica %s', async (_, end) => {
  const { url, one, two, writer, worker, questions } = await bench();
  const taken = Promise.withResolvers<void>();
  one.peers.onForwarded(() => {
    taken.resolve();
    return new Promise(() => undefined);
  });
  const asking = two.peers.forward(worker, { key: writer.key, body: '1' }, patient());
  const refused = expect(asking).rejects.toMatchObject(gone);
  await taken.promise;
  await end(one, url);
  await refused;
  await vi.waitFor(async () => expect(await questions()).toBe(0), soon);
});

it('a forwarded call that cannot be answered is given up', async () => {
  const { one, two, writer, worker } = await bench();
  one.peers.onForwarded(() => Promise.reject(new Error('broken')));
  await expect(two.peers.forward(worker, { key: writer.key, body: '1' }, patient())).rejects.toMatchObject(gone);
});

it('a forwarded call that is not waited for any more is not answered', async () => {
  const { open, two, writer, questions } = await bench();
  const late = await open('late');
  const other = new TaskWriter();
  await late.append(other.create('TASK_STATE_WORKING'));
  const worker = (await two.peers.leaseHolderOf(other.key)) ?? '';
  const stop = new AbortController();
  const asking = two.peers.forward(worker, { key: writer.key, body: '1' }, stop.signal);
  await vi.waitFor(async () => expect(await questions()).toBe(1), soon);
  stop.abort(new Error('enough'));
  await expect(asking).rejects.toThrow('enough');
  await vi.waitFor(async () => expect(await questions()).toBe(0), soon);
  const asked = vi.fn(async () => '1');
  late.peers.onForwarded(asked);
  expect(await two.peers.forward(worker, { key: writer.key, body: '2' }, patient())).toBe('1');
  expect(asked.mock.calls).toEqual([[{ key: writer.key, body: '2' }]]);
  expect(() => stop.signal.throwIfAborted()).toThrow('enough');
  await expect(two.peers.forward(worker, { key: writer.key, body: '3' }, stop.signal)).rejects.toThrow('enough');
});

it('a forwarded call of a gateway that is dead, or an old one, is not answered, and goes with what is deleted regularly', async () => {
  const { url, one, two, worker, asked, writer, questions } = await bench();
  const [me] = await query(url, "select instance from gateway where instance like 'two/%'");
  const put = (id: string, asker: unknown, age: number) =>
    query(
      url,
      `insert into question (id, addressee, asker, key, body, created_at)
        values ($1, $2, $3, 'k', '1', extract(epoch from now()) * 1000 - $4)`,
      [id, worker, asker, age],
    );
  await put('dead', 'dead/1', 0);
  await put('old', me?.instance, 3_700_000);
  // Whatever there is is taken up together with this one.
  await two.peers.forward(worker, { key: writer.key, body: '"mine"' }, patient());
  expect(asked).toEqual([{ key: writer.key, body: '"mine"' }]);
  await one.expire(0, 1);
  await vi.waitFor(async () => expect(await questions()).toBe(0), soon);
});

it('a forwarded call is given up when the asking gateway closes', async () => {
  const { url, one, two, writer, worker, questions } = await bench();
  one.peers.onForwarded(() => new Promise(() => undefined));
  const asking = two.peers.forward(worker, { key: writer.key, body: '1' }, patient());
  const refused = expect(asking).rejects.toMatchObject({ kind: 'unavailable' });
  await vi.waitFor(async () => expect(await questions()).toBe(1), soon);
  await two.close();
  await refused;
  expect(await query(url, 'select * from question')).toEqual([]);
});

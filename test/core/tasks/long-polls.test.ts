import { beforeAll, describe, expect, test } from 'vitest';
import { type BindingName, bindings, type Client, connect, type Task } from '../../../src/client/index.ts';
import { read } from '../../metrics/support.ts';
import { type Running, startGateway } from '../../support/gateway.ts';
import { afterTest } from '../../support/peer.ts';

/** GetTask of A2A 1.1 that waits, over every binding: how long, for whom, and until which generation. */

let hasty: Running;
let slow: Running;
beforeAll(async () => {
  const preview = 'preview: [a2a-1.1]\n';
  hasty = await startGateway({ settings: `${preview}limits: { answer: 1s }\n` });
  slow = await startGateway({ settings: `${preview}limits: { streams: 1 }\n` });
});

const taskOf = ({ task }: { task?: Task }): Task => task ?? expect.fail('no task');

describe.each(bindings.map(({ name }) => name))('GetTask of A2A 1.1 that waits, over %s', (via: BindingName) => {
  async function open({ origin }: Running): Promise<Client> {
    const client = await connect(origin, { as: 'a2a-1.1', via });
    afterTest(() => client.close());
    return client;
  }

  test(`GetTask of A2A 1.1 that waits, over ${via} returns when the task changes, or at the time limit`, async () => {
    const client = await open(hasty);
    const { id, generation = '' } = taskOf(await client.send('slow 200', { returnImmediately: true }));
    const seen = [Number(generation)];
    for (let state = ''; state !== 'TASK_STATE_COMPLETED'; ) {
      const task = await client.getTask({ id, currentGeneration: `${seen.at(-1)}` });
      expect(Number(task.generation)).toBeGreaterThan(seen.at(-1) ?? 0);
      seen.push(Number(task.generation));
      state = task.status.state;
    }
    const question = taskOf(await client.send('ask'));
    const began = performance.now();
    const late = await client.getTask({ id: question.id, currentGeneration: question.generation ?? '' });
    expect(late.generation).toBe(question.generation);
    expect(performance.now() - began).toBeGreaterThan(900);
  });

  test(`GetTask of A2A 1.1 that waits, over ${via} counts as a stream until its caller disconnects`, async () => {
    const client = await open(slow);
    const { id, generation: currentGeneration = '' } = taskOf(await client.send('ask'));
    const inFlight = async () => (await read(slow.origin)).get(`a2a_gateway_requests_in_flight{binding="${via}"}`);
    for (let round = 0; round < 2; round += 1) {
      await expect.poll(inFlight).toBe(0);
      const leave = new AbortController();
      const outcomes = [1, 2].map(() =>
        client.getTask({ id, currentGeneration }, { signal: leave.signal }).then(
          () => 'answered',
          ({ kind }) => kind as string,
        ),
      );
      // The other one has the caller's only place.
      expect(await Promise.race(outcomes)).toBe('tooManyRequests');
      leave.abort();
      expect((await Promise.all(outcomes)).toSorted()).toEqual(['canceled', 'tooManyRequests']);
    }
  });
});

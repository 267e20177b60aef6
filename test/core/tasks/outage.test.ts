import { expect, it } from 'vitest';
import { A2AError } from '../../../src/core/model/errors.ts';
import { retryWhileUnavailable } from '../../../src/core/tasks/outage.ts';

const away = (): Promise<never> => Promise.reject(new A2AError('unavailable'));
const never = new AbortController().signal;

it('a call in an outage waits for a store that is unavailable', async () => {
  let attempts = 0;
  const use = async (): Promise<number> => {
    attempts += 1;
    return attempts < 3 ? away() : attempts;
  };
  expect(await retryWhileUnavailable(use, never)).toBe(3);
});

it('a call in an outage does not wait for a store that refuses', async () => {
  const refused = new A2AError('taskNotFound');
  await expect(retryWhileUnavailable(() => Promise.reject(refused), never)).rejects.toBe(refused);
});

it('a call in an outage stops waiting when the caller aborts', async () => {
  const stopped = new A2AError('canceled', 'The task is over.');
  const waiting = new AbortController();
  const use = (): Promise<never> => {
    setImmediate(() => waiting.abort(stopped));
    return away();
  };
  await expect(retryWhileUnavailable(use, waiting.signal)).rejects.toBe(stopped);
  await expect(retryWhileUnavailable(away, waiting.signal)).rejects.toBe(stopped);
});

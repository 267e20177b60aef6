import { expect, it } from 'vitest';
import { LoopTurns } from '../../../src/core/limits/loop-turns.ts';

it('turns of the event loop have one call each where calls take long, and something else in between', async () => {
  const turns = new LoopTurns();
  const order: string[] = [];
  const busy = (): void => {
    for (const until = performance.now() + 30; performance.now() < until; );
  };
  const call = async (name: string): Promise<void> => {
    await turns.take();
    busy();
    order.push(name);
  };
  expect(turns.take()).toBeUndefined();
  busy();
  const calls = ['a', 'b', 'c'].map(call);
  const between = new Promise<void>((resolve) => setImmediate(resolve)).then(() => order.push('else'));
  await Promise.all([...calls, between]);
  expect(order.filter((name) => name !== 'else')).toEqual(['a', 'b', 'c']);
  expect(order.indexOf('else')).toBeLessThan(2);
  await new Promise((resolve) => setImmediate(resolve));
  expect(turns.take()).toBeUndefined();
});

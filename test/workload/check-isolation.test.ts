import { expect, it } from 'vitest';
import { checkIsolation } from './check-isolation.ts';
import { Ledger } from './ledger.ts';
import type { Logs } from './logs.ts';

/** Tasks of one message each, by the principals of their rows; each message by its caller. */
function check(tasks: readonly (readonly [principal: string, caller: string])[], foreign: readonly string[] = []) {
  const ledger = new Ledger();
  ledger.foreign.push(...foreign);
  const stored = tasks.map(([principal, caller], at) => {
    const marker = `marker-${at}`;
    ledger.said.push({ marker, caller } as never);
    const history = [{ role: 'ROLE_USER', parts: [{ text: marker }] }];
    return { id: `t${at}`, principal, log: [{ seq: 1, event: { task: { history } } }] };
  });
  return checkIsolation(ledger, { tasks: stored } as unknown as Logs).map(({ what }) => what);
}

it('each caller has a principal of its own, and sees its own tasks', () => {
  expect(
    check([
      ['key:ada', 'ada'],
      ['key:bob', 'bob'],
      ['key:ada', 'ada'],
    ]),
  ).toEqual([]);
});

it('a task that was shown to another caller is a violation', () => {
  expect(check([], ['bob was shown the task t0'])).toEqual(['bob was shown the task t0']);
});

it('a task with the message of one caller and the principal of another is a violation', () => {
  expect(
    check([
      ['key:ada', 'ada'],
      ['key:ada', 'bob'],
    ]),
  ).toEqual(['it has marker-1 of bob, and belongs to ada']);
});

it('a caller with two principals is a violation', () => {
  expect(
    check([
      ['key:ada', 'ada'],
      ['key:bob', 'ada'],
    ]),
  ).toEqual(['tasks of one caller belong to several principals']);
});

import { expect, it } from 'vitest';
import type { Execution } from './agents/executions.ts';
import { checkExecutions } from './check-executions.ts';
import { Ledger, type Said } from './ledger.ts';
import type { Logs } from './logs.ts';

/** A task of the one message, which ends with the result of an execution; the first gateway was killed or paused. */
function check(agent: string, executions: [how: string, pid: number][], result: number, message: Partial<Said> = {}) {
  const noted = executions.map(
    ([how, pid], i) => ({ marker: 'marker-1', agent, taskId: 't', how, pid, nonce: `n${i}` }) as Execution,
  );
  const status = { state: 'TASK_STATE_COMPLETED', message: { parts: [{ text: `n${result}` }] } };
  const history = [{ role: 'ROLE_USER', parts: [{ text: 'work' }, { text: 'marker-1' }] }];
  const log = [{ task: { id: 't', history, status } }, { statusUpdate: { status } }];
  const task = { id: 't', agent, seq: 2, log: log.map((event, i) => ({ seq: i + 1, event })) };
  const ledger = new Ledger();
  ledger.said.push({ marker: 'marker-1', agent, text: 'work', keyed: false, answers: [], ...message } as never);
  const executed = { executions: noted, wasStruck: (pid: number) => pid === 1 };
  const logs = { tasks: [task], byId: new Map([['t', task]]) } as unknown as Logs;
  return checkExecutions(executed, ledger, logs).map(({ what }) => what);
}

const refused = { gaveUp: true, refusal: 'unavailable: The store is unavailable' };

it.each([
  [
    'once more, by an agent that goes on',
    'patient',
    [
      ['execute', 1],
      ['resume', 2],
    ],
    1,
  ],
  [
    'in vain, by a gateway that was paused',
    'patient',
    [
      ['resume', 2],
      ['execute', 1],
    ],
    0,
  ],
  [
    'by the same gateway, which lost its database',
    'restarted',
    [
      ['execute', 2],
      ['execute', 2],
    ],
    1,
    refused,
  ],
] as const)('a message may be executed %s', (_, agent, executions, result, message?: Partial<Said>) => {
  expect(
    check(
      agent,
      executions.map(([how, pid]) => [how, pid]),
      result,
      message,
    ),
  ).toEqual([]);
});

it.each([
  [
    'twice by an agent that may not be started again',
    'once',
    [
      ['execute', 1],
      ['execute', 2],
    ],
    1,
  ],
  [
    'by two gateways of which nothing happened to the first',
    'restarted',
    [
      ['execute', 2],
      ['execute', 3],
    ],
    1,
    refused,
  ],
  [
    'twice where its caller knows the task',
    'restarted',
    [
      ['execute', 2],
      ['execute', 2],
    ],
    1,
    { taskId: 't' },
  ],
] as const)('a message is not executed %s', (_, agent, executions, result, message?: Partial<Said>) => {
  expect(
    check(
      agent,
      executions.map(([how, pid]) => [how, pid]),
      result,
      message,
    ),
  ).toHaveLength(1);
});

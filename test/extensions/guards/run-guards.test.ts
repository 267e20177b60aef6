import { expect, it } from 'vitest';
import type { Part } from '../../../src/core/model/a2a.ts';
import type { Call } from '../../../src/core/model/call.ts';
import { answerKey } from '../../../src/core/model/question.ts';
import type { Run } from '../../../src/core/ports/run-hook.ts';
import type { GuardQuestion } from '../../../src/extensions/guards/model.ts';
import { RunGuards } from '../../../src/extensions/guards/run-guards.ts';
import { afterTurns, guardList } from './guard-list.ts';
import { textIn } from './judge.ts';

const approvers = { of: ['carol'], until: 60_000, otherwise: 'deny', quorum: 1, self: false } as const;

const run = {
  key: 'key',
  taskId: 'task',
  contextId: 'context',
  owner: { agent: 'demo', principal: 'key:alice', tenant: '' },
  latest: async () => undefined,
} as unknown as Run;

const callOf = (parts: Part[], metadata: object = {}, principal: object = {}): Call =>
  ({
    operation: 'SendMessage',
    request: { message: { messageId: 'm', role: 'ROLE_USER', parts, metadata } },
    context: {
      agent: 'demo',
      tenant: '',
      requestId: 'r',
      principal: { id: 'key:alice', anonymous: false, ...principal },
      extensions: [],
      dialect: 'a2a-1.0',
      semantics: {},
      notes: { extensions: new Set(), losses: new Set() },
    },
  }) as unknown as Call;

it('a run whose message guards put before people has their asks, and the parts that guards have replaced', async () => {
  const { guards } = guardList(
    { name: 'payments', approvers, judge: () => ({ action: 'ask', reason: 'a payment' }) },
    { name: 'polite', judge: (question) => ({ action: 'replace', parts: [{ text: `please ${textIn(question)}` }] }) },
  );
  const start = await new RunGuards(guards).begin(run, callOf([{ text: 'pay' }]));
  const { until: wait, ...people } = approvers;
  expect(start).toMatchObject({
    asks: [{ ...people, by: 'guard payments', reason: 'a payment', wait }],
    parts: [{ text: 'please pay' }],
  });
});

it('a run that people have agreed to is not judged again, and its answers are', async () => {
  const asked: GuardQuestion[] = [];
  const { guards } = guardList({
    name: 'payments',
    approvers,
    // The message that was judged is another one.
    where: 'has(metadata.amount)',
    judge: (question) => {
      asked.push(question);
      return { action: 'ask' };
    },
  });
  const hook = new RunGuards(guards);
  const facts = { by: 'key:carol', way: 'link', releases: 1 };
  const release = callOf([{ data: { decision: 'approve' } }], { [answerKey]: facts }, { byId: true });
  expect(await hook.begin(run, release)).toBeUndefined();
  expect(asked).toEqual([]);
  const blocked: string[] = [];
  const failing = Object.assign(run, {
    fail: ({ message }: Error) => {
      blocked.push(message);
      return true;
    },
  });
  async function* answers() {
    yield { message: { messageId: 'a', role: 'ROLE_AGENT' as const, parts: [{ text: 'paid' }] } };
  }
  expect(await hook.stream(failing, answers())?.next()).toEqual({ done: true, value: undefined });
  await afterTurns(1);
  expect(asked).toEqual([expect.objectContaining({ phase: 'answer', parts: [{ text: 'paid' }] })]);
  expect(blocked).toEqual([expect.stringContaining('people are asked about messages alone')]);
  hook.end(run);
});

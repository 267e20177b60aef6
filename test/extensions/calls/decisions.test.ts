import { join } from 'node:path';
import { expect, it } from 'vitest';
import { newKey } from '../../../src/auth/hash.ts';
import { PendingCalls } from '../../../src/extensions/calls/pending-calls.ts';
import type { CallSummary, ListCallsRequest } from '../../../src/gen/admin-v1/types.ts';
import { askAdmin, callsOf } from '../../support/admin.ts';
import { newFolder } from '../../support/folders.ts';
import { openGateway } from '../../support/gateway.ts';
import { afterTest } from '../../support/peer.ts';
import { startJudge } from '../guards/judge.ts';
import { failedCall } from './support.ts';

/** Calls with the decisions of policies and guards about them. */

const operator = newKey();
const asOperator = { 'x-api-key': operator.key };

/** A gateway whose rules decide about every call. */
async function opened(judge: string, store = 'memory:', more = '') {
  const gateway = await openGateway(`
store: "${store}"
auth:
  apiKeys: [{ name: operator, hash: "${operator.hash}", scopes: [admin, tasks] }]
agents: { demo: { kind: reference }, open: { kind: reference } }
policies:
  - { name: trial, deny: agent == "demo", shadow: true, reason: Not in the night }
  - { name: closed, deny: agent == "demo" && operation == "CancelTask", reason: The office is closed }
  - { name: watched, where: agent == "open", allow: operation == "SendMessage" }
guards:
  - { name: words, where: agent == "demo", url: "${judge}", on: [request], shadow: true }
${more}
`);
  const list = async (request: ListCallsRequest): Promise<readonly CallSummary[]> =>
    (await askAdmin(gateway.url, 'ListCalls', request, asOperator)).calls ?? [];
  /** The calls that match, as soon as there are any: guards in shadow are not waited for. */
  const listed = async (request: ListCallsRequest): Promise<readonly CallSummary[]> => {
    for (;;) {
      const calls = await list(request);
      if (calls.length > 0) return calls;
    }
  };
  const demo = callsOf(`${gateway.url}/demo`, asOperator);
  return { ...gateway, list, listed, demo, free: callsOf(`${gateway.url}/open`, asOperator) };
}

const ruleNames = (calls: readonly CallSummary[]): string[][] =>
  calls.map(({ decisions = [] }) => decisions.map(({ rule, outcome }) => `${rule} ${outcome}`).sort());

it('calls are found by the rules that decided about them and by the outcome, in shadow too, and after a restart', async () => {
  const judge = await startJudge(() => ({ action: 'block', reason: 'a secret' }));
  afterTest(() => judge.close());
  const store = `sqlite:${join(newFolder(), 'gateway.db')}`;
  const first = await opened(judge.url, store);
  await first.demo.send('hello');
  await first.free.send('hello');
  await first.demo.post('/tasks/none:cancel', {}).catch(() => undefined);
  await first.listed({ rule: 'guard words', decision: 'shadow' });
  await first.close();
  const { list, close } = await opened(judge.url, store);
  afterTest(() => close());
  const [canceled, sent, ...others] = await list({ decided: true });
  expect(others).toEqual([]);
  expect(ruleNames([canceled as CallSummary])).toEqual([['policy closed refused', 'policy trial shadow']]);
  expect(canceled?.decisions).toContainEqual({
    rule: 'policy closed',
    outcome: 'refused',
    reason: 'The office is closed',
  });
  expect(sent).toMatchObject({ operation: 'SendMessage', taskId: expect.any(String) });
  expect(sent?.decisions).toEqual(
    expect.arrayContaining([
      { rule: 'policy trial', outcome: 'shadow', would: 'refused', reason: 'Not in the night' },
      { rule: 'guard words', outcome: 'shadow', would: 'blocked', reason: 'a secret', phase: 'request' },
    ]),
  );
  expect(await list({ rule: 'policy trial' })).toEqual([canceled, sent]);
  expect(await list({ decision: 'refused' })).toEqual([canceled]);
  expect(await list({ rule: 'policy trial', decision: 'refused' })).toEqual([]);
  expect(await list({ rule: 'policy watched' })).toEqual([]);
  expect(await list({ outcome: 'CALL_OUTCOME_SLOW' })).toEqual([]);
});

it('a verdict that comes after the end of its call is listed with the call', async () => {
  const asked = Promise.withResolvers<void>();
  const answer = Promise.withResolvers<void>();
  const judge = await startJudge(async () => {
    asked.resolve();
    await answer.promise;
    return { action: 'block', reason: 'a secret' };
  });
  afterTest(() => judge.close());
  const { demo, list, listed, close } = await opened(judge.url);
  afterTest(() => close());
  await demo.send('hello');
  await asked.promise;
  expect(ruleNames(await list({ decided: true }))).toEqual([['policy trial shadow']]);
  answer.resolve();
  expect(ruleNames(await listed({ rule: 'guard words' }))).toEqual([['guard words shadow', 'policy trial shadow']]);
});

it('the reasons of judges are hidden where what callers and agents say is', async () => {
  const judge = await startJudge(() => ({ action: 'block', reason: 'a secret' }));
  afterTest(() => judge.close());
  const { demo, list, listed, close } = await opened(judge.url, 'memory:', 'console: { content: false }');
  afterTest(() => close());
  await demo.send('hello');
  await listed({ rule: 'guard words' });
  expect(JSON.stringify(await list({ decided: true }))).not.toContain('a secret');
});

it('calls that succeed although a rule would refuse them displace no failed ones', () => {
  const calls = new PendingCalls();
  const decided = { error: undefined, decisions: [{ rule: 'policy trial', outcome: 'shadow' }] };
  for (let at = 0; at < 500; at += 1) calls.offerDecided(failedCall({ ms: 0, ...decided }));
  const kept = calls.size;
  expect(kept).toBeLessThan(500);
  expect(calls.offer(failedCall({ ms: 0 }))).toBe(true);
});

it('a call that waits to be stored waits once, however many rules decide about it meanwhile', () => {
  const calls = new PendingCalls();
  const record = failedCall({ ms: 0, status: undefined });
  calls.offerDecided(record);
  const taken = calls.take();
  calls.offerDecided(record);
  calls.putBack(taken, Date.now());
  expect(calls.take()).toEqual([record]);
});

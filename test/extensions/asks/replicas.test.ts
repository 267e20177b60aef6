import { beforeAll, expect, test } from 'vitest';
import { defineAgent } from '../../../src/agents/define.ts';
import { newKey } from '../../../src/auth/hash.ts';
import { callsOf } from '../../support/admin.ts';
import { sharedPostgres } from '../../support/postgres.ts';
import { type Replica, startReplica } from '../../support/replicas.ts';
import { Changes } from '../../support/until.ts';

/** People decide at the same moment at two replicas, one of which has the task. */

beforeAll(sharedPostgres);

const names = ['alice', 'ada', 'carol'] as const;
const keys = Object.fromEntries(names.map((name) => [name, newKey()])) as Record<
  (typeof names)[number],
  ReturnType<typeof newKey>
>;

async function open(ask: object) {
  const url = await (await sharedPostgres()).migrated();
  const got: string[] = [];
  const changes = new Changes();
  const buyer = defineAgent({ name: 'Buyer', description: 'Buys' }, ({ text }) => {
    got.push(text);
    changes.happened();
    return `bought ${text}`;
  });
  const sections = {
    auth: { apiKeys: names.map((name) => ({ name, hash: keys[name].hash, scopes: ['tasks', 'questions'] })) },
    policies: [{ name: 'spend', ask: { of: ['ada', 'carol'], ...ask } }],
  };
  const config = Object.entries(sections).map(([name, section]) => `${name}: ${JSON.stringify(section)}\n`);
  const options = { config: config.join(''), agents: { buyer } };
  const replicas = [await startReplica(url, 'one', options), await startReplica(url, 'other', options)] as const;
  const alice = callsOf(`${replicas[0].url}/buyer`, { 'x-api-key': keys.alice.key });
  const answer = ({ url: at }: Replica, who: 'ada' | 'carol', id: string, text: string) =>
    callsOf(at, { 'x-api-key': keys[who].key }).post(`/admin/v1/questions/${id}:answer`, { parts: [{ text }] });
  const hold = async (): Promise<string> => (await alice.send('it', { immediately: false })).id;
  const released = () => changes.until(() => got.length > 0);
  return { got, replicas, hold, answer, alice, released };
}

const statusesOf = (outcomes: readonly PromiseSettledResult<unknown>[]): unknown[] =>
  outcomes.map((one) => (one.status === 'rejected' ? (one.reason as { status: number }).status : 200)).toSorted();

test('of an approval and a denial at two replicas one counts, and the other person learns of it', async () => {
  const { got, replicas, hold, answer, alice, released } = await open({});
  const [one, other] = replicas;
  const id = await hold();
  const outcomes = await Promise.allSettled([answer(other, 'ada', id, 'approve'), answer(one, 'carol', id, 'deny')]);
  expect(statusesOf(outcomes)).toEqual([200, 409]);
  const isApproved = outcomes[0].status === 'fulfilled';
  const refused = outcomes.flatMap((each) => (each.status === 'rejected' ? [String(each.reason)] : []));
  expect(refused).toEqual([expect.stringContaining(isApproved ? 'key:ada' : 'key:carol')]);
  if (isApproved) await released();
  const { status } = await alice.get<{ status: { state: string } }>(`/tasks/${id}`);
  expect(got).toEqual(isApproved ? ['it'] : []);
  expect(status.state === 'TASK_STATE_REJECTED').toBe(!isApproved);
});

test('two agreements at two replicas both count, and the agent gets the call once', async () => {
  const { got, replicas, hold, answer, released } = await open({ quorum: 2 });
  const [one, other] = replicas;
  const id = await hold();
  const outcomes = await Promise.allSettled([
    answer(one, 'ada', id, 'approve'),
    answer(other, 'carol', id, 'approve'),
    answer(other, 'ada', id, 'approve'),
  ]);
  expect(statusesOf(outcomes)).toEqual([200, 200, 409]);
  await released();
  expect(got).toEqual(['it']);
});

test('a call without a decision ends at another replica where its own is gone', async () => {
  const { replicas, hold } = await open({ until: '2s' });
  const id = await hold();
  await replicas[0].close();
  const there = callsOf(`${replicas[1].url}/buyer`, { 'x-api-key': keys.alice.key });
  expect((await there.endOf(id)).state).toBe('TASK_STATE_REJECTED');
});

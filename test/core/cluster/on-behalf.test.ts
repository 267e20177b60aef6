import { beforeAll, expect, test } from 'vitest';
import { connect } from '../../../src/client/index.ts';
import { events, startHostile } from '../../support/hostile-agent.ts';
import { afterTest, bodyOf, sendJson, serve } from '../../support/peer.ts';
import { query, sharedPostgres } from '../../support/postgres.ts';
import { startReplica } from '../../support/replicas.ts';

const { task, status } = events;

beforeAll(sharedPostgres);

test("a caller's token serves its task at every replica, without the caller", async () => {
  const database = await (await sharedPostgres()).database();
  const agent = await startHostile('a2a-1.0 jsonrpc');
  agent.script = {
    SendMessage: (exchange) =>
      exchange.answer(agent.count('SendMessage') > 1 ? agent.truth : agent.happen(task('WORKING'))),
    CancelTask: (exchange) => {
      agent.happen(status('CANCELED'));
      exchange.answer(agent.truth);
    },
  };
  const asked: (string | null)[] = [];
  const issuer = await serve(async (req, res) => {
    const subject = new URLSearchParams(await bodyOf(req)).get('subject_token');
    asked.push(subject);
    sendJson(res, { access_token: `for-${subject}`, token_type: 'bearer', expires_in: 3_600 });
  });
  const auth = `{ type: exchange, tokenUrl: "${issuer}/token", clientId: gw, clientSecret: s, audience: up }`;
  const config = `agents:\n  up: { kind: upstream, url: "${agent.url}", auth: ${auth} }\ndefaultAgent: up\n`;
  const [one, two] = await Promise.all(['one', 'two'].map((name) => startReplica(database, name, { config })));
  if (!one || !two) throw new TypeError('no replicas');

  const alice = await connect(one.url, { as: 'a2a-1.0', via: 'jsonrpc', bearer: 'alice' });
  afterTest(() => alice.close());
  const { task: begun } = await alice.send('go', { returnImmediately: true });
  const id = begun?.id ?? '';
  await agent.called('GetTask');

  // On this machine, callers without credentials are the same principal as before.
  const elsewhere = await two.client();
  await elsewhere.send('more', { taskId: id, returnImmediately: true });
  await agent.called('SendMessage', 2);

  await one.close();
  const { length: before } = agent.calls;
  await expect.poll(() => agent.calls.length).toBeGreaterThan(before);
  const canceled = await elsewhere.cancelTask({ id });
  expect(canceled.status.state).toBe('TASK_STATE_CANCELED');

  expect(agent.count('CancelTask')).toBe(1);
  expect(new Set(agent.calls.map(({ headers }) => headers.authorization))).toEqual(new Set(['Bearer for-alice']));
  expect(asked).toEqual(['alice']);
  // Without a token, a new task has no owner.
  await expect(elsewhere.send('go')).rejects.toMatchObject({ kind: 'unauthenticated' });
  const rows = await query(database, 'select body from agent_value');
  expect(rows).toHaveLength(1);
  expect(JSON.stringify(rows)).not.toMatch(/alice/);
});

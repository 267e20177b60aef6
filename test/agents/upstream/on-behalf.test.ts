import { expect, it } from 'vitest';
import { connect } from '../../../src/client/index.ts';
import { askAdmin } from '../../support/admin.ts';
import { adminHeaders, openGateway } from '../../support/gateway.ts';
import { type Act, events, startHostile } from '../../support/hostile-agent.ts';
import { afterTest, bodyOf, sendJson, serve } from '../../support/peer.ts';

/** Access tokens that are issued for one caller each. `credentials.test.ts` tests how each binding transports them. */

const { task, status } = events;

/** An issuer that gives `for-SUBJECT-1`, `for-SUBJECT-2` and so on, an agent with these acts, and a gateway before it. */
async function start(script: Readonly<Record<string, Act>>) {
  const asked: (string | null)[] = [];
  const issuer = await serve(async (req, res) => {
    const subject = new URLSearchParams(await bodyOf(req)).get('subject_token');
    asked.push(subject);
    sendJson(res, { access_token: `for-${subject}-${asked.length}`, token_type: 'bearer', expires_in: 3_600 });
  });
  const agent = await startHostile('a2a-1.0 jsonrpc', script);
  const auth = `{ type: exchange, tokenUrl: "${issuer}/token", clientId: gw, clientSecret: s, audience: up }`;
  const { url } = await openGateway(`agents: { up: { kind: upstream, url: "${agent.url}", auth: ${auth} } }`);
  const client = async (via: 'jsonrpc' | 'grpc' | 'rest' = 'jsonrpc') => {
    const client = await connect(`${url}/up`, { as: 'a2a-1.0', via, bearer: 'alice' });
    afterTest(() => client.close());
    return client;
  };
  const shown = (): (string | undefined)[] => agent.calls.map(({ headers }) => headers.authorization);
  return { agent, asked, url, client, shown };
}

it('a token that the agent refuses is replaced and tried once more, and no more', async () => {
  const refused = new Set(['Bearer for-alice-1']);
  const { agent, asked, client, shown } = await start({
    SendMessage: (exchange) =>
      refused.has(exchange.headers.authorization ?? '')
        ? exchange.res?.writeHead(401, { 'www-authenticate': 'Bearer' }).end()
        : exchange.answer(agent.happen(task('COMPLETED'))),
  });
  const alice = await client();
  expect((await alice.send('go')).task?.status.state).toBe('TASK_STATE_COMPLETED');
  expect([...new Set(shown())]).toEqual(['Bearer for-alice-1', 'Bearer for-alice-2']);
  for (const at of [2, 3, 4]) refused.add(`Bearer for-alice-${at}`);
  await expect(alice.send('go')).rejects.toMatchObject({
    kind: 'unauthenticated',
    message: expect.stringMatching(/does not accept the caller's credentials/),
  });
  expect(asked).toHaveLength(3);
});

it("the answer of an operator reaches the agent with the token of the task's caller", async () => {
  const { agent, asked, url, client, shown } = await start({
    SendMessage: (exchange) => {
      const state = agent.count('SendMessage') > 1 ? 'COMPLETED' : 'INPUT_REQUIRED';
      exchange.answer(agent.happen(task(state)));
    },
  });
  const { task: asking } = await (await client()).send('book');
  expect(asking?.status.state).toBe('TASK_STATE_INPUT_REQUIRED');
  const admin = adminHeaders(url);
  const { tasks = [] } = await askAdmin(url, 'FindTasks', {}, admin);
  const key = tasks[0]?.key ?? '';
  await askAdmin(url, 'AnswerQuestion', { key, parts: [{ text: 'yes' }] }, admin);
  await agent.called('SendMessage', 2);
  expect(new Set(shown())).toEqual(new Set(['Bearer for-alice-1']));
  expect(asked).toEqual(['alice']);
});

it.each(['rest', 'grpc'] as const)('the token of a caller over %s is exchanged', async (via) => {
  const { agent, client, shown } = await start({ SendMessage: (one) => one.answer(agent.happen(task('COMPLETED'))) });
  await (await client(via)).send('go');
  expect(shown().at(-1)).toBe('Bearer for-alice-1');
});

it('the token of a caller over MCP is exchanged', async () => {
  const { agent, url, shown } = await start({
    SendMessage: (one) => one.answer(agent.happen(status('COMPLETED', 'Sunny'))),
  });
  agent.happen(task('WORKING'));
  const headers = { authorization: 'Bearer alice', 'content-type': 'application/json' };
  const accept = 'application/json, text/event-stream';
  const rpc = async (method: string, params: object) => {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
    return (await fetch(`${url}/up/mcp`, { method: 'POST', headers: { ...headers, accept }, body })).text();
  };
  const [, tool] = /"name":"([^"]+)"/.exec(await rpc('tools/list', {})) ?? [];
  await rpc('tools/call', { name: tool, arguments: { message: 'go' } });
  expect(shown().at(-1)).toBe('Bearer for-alice-1');
});

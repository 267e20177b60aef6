import { generateKeyPairSync } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { connect } from '../../../src/client/index.ts';
import { newFolder } from '../../support/folders.ts';
import { openGateway } from '../../support/gateway.ts';
import { type Act, type Exchange, events, startHostile } from '../../support/hostile-agent.ts';
import { paced } from '../../support/pace.ts';
import { afterTest } from '../../support/peer.ts';
import { type IssuerOptions, startTokenIssuer, type TokenIssuer, weather } from '../../support/token-issuer.ts';

/** A gateway that gets tokens for its callers from a real issuer, and an agent that asks the issuer about each of them. */

const { task, status } = events;

interface Seen {
  readonly operation: string;
  readonly token: string;
  readonly sub: string | undefined;
  readonly act: unknown;
}

/** An agent that is polled, and accepts what the issuer says is a token for it. */
async function startAgent(issuer: TokenIssuer, polled: (exchange: Exchange, seen: readonly Seen[]) => unknown) {
  const agent = await startHostile('a2a-1.0 jsonrpc');
  const seen: Seen[] = [];
  const guarded =
    (act: Act): Act =>
    async (exchange) => {
      const token = exchange.headers.authorization?.replace('Bearer ', '') ?? '';
      const { active, aud, sub, act: actor } = await issuer.introspect(token);
      if (!active || aud !== weather.audience)
        return exchange.res?.writeHead(401, { 'www-authenticate': 'Bearer' }).end();
      seen.push({ operation: exchange.operation, token, sub, act: actor });
      return act(exchange);
    };
  agent.script = {
    SendMessage: guarded((exchange) => exchange.answer(agent.happen(task('WORKING')))),
    GetTask: guarded((exchange) => {
      polled(exchange, seen);
      exchange.answer(agent.truth);
    }),
  };
  const complete = (): void => void agent.happen(status('COMPLETED', 'Sunny'));
  return { agent, seen, complete };
}

const gatewayOf = (issuer: TokenIssuer, agentUrl: string, more: { store?: string; auth?: string } = {}) =>
  openGateway(`
store: "${more.store ?? 'memory:'}"
auth: { anonymous: false, jwt: { issuer: "${issuer.url}", audience: gateway, jwksUrl: "${issuer.url}/jwks" } }
agents:
  weather:
    kind: upstream
    url: ${agentUrl}
    auth:
      tokenUrl: ${issuer.url}/token
      resource: ${weather.resource}
      audience: ${weather.audience}
      clientId: gateway
      clientSecret: secret of gateway
      ${
        more.auth ??
        `type: exchange
      actor: { type: oauth2, tokenUrl: "${issuer.url}/token", clientId: gateway, clientSecret: secret of gateway }`
      }
`);

async function clientOf(gateway: { readonly url: string }, bearer: string) {
  const client = await connect(`${gateway.url}/weather`, { as: 'a2a-1.0', via: 'jsonrpc', bearer });
  afterTest(() => client.close());
  return client;
}

const start = async (options: IssuerOptions, polled: Parameters<typeof startAgent>[1]) => {
  const issuer = await startTokenIssuer(options);
  return { issuer, ...(await startAgent(issuer, polled)) };
};

const done = 'TASK_STATE_COMPLETED';

it('a gateway at a real issuer shows the agent who asks and through whom, also for callers at the same time', async () => {
  const { issuer, agent, seen, complete } = await start({}, () => complete());
  const gateway = await gatewayOf(issuer, agent.url);
  const [alice, bob] = await Promise.all([issuer.tokenOf('alice'), issuer.tokenOf('bob')]);
  const clients = await Promise.all([alice, alice, bob].map((token) => clientOf(gateway, token)));
  const answers = await Promise.all(clients.map((client) => client.send('Rome?')));
  expect(answers.map((answer) => answer.task?.status.state)).toEqual([done, done, done]);
  expect(new Set(seen.map(({ sub }) => sub))).toEqual(new Set(['alice', 'bob']));
  for (const { act } of seen) expect(act).toEqual({ sub: 'gateway' });
  expect(issuer.granted.map(({ sub }) => sub).toSorted()).toEqual(['alice', 'bob']);
  // Neither the callers' own tokens nor each other's.
  const tokens = Map.groupBy(seen, ({ sub }) => sub);
  for (const calls of tokens.values()) expect(new Set(calls.map(({ token }) => token)).size).toBe(1);
  expect(seen.some(({ token }) => token === alice || token === bob)).toBe(false);
});

it('a gateway at a real issuer gets another token before the first expires, and a task goes on', async () => {
  const { issuer, agent, seen, complete } = await start({ life: 2 }, (_, all) => {
    if (new Set(all.map(({ token }) => token)).size > 1) complete();
  });
  const gateway = await gatewayOf(issuer, agent.url);
  const alice = await clientOf(gateway, await issuer.tokenOf('alice'));
  const { task: ended } = await alice.send('Rome?');
  expect(ended?.status.state).toBe(done);
  expect(issuer.granted.length).toBeGreaterThan(1);
  expect(new Set(seen.map(({ sub }) => sub))).toEqual(new Set(['alice']));
});

it('a gateway at a real issuer refuses a caller whom the issuer refuses, and serves the others', async () => {
  const { issuer, agent, complete } = await start({}, () => complete());
  const gateway = await gatewayOf(issuer, agent.url);
  issuer.barred.add('bob');
  const [alice, bob] = await Promise.all([issuer.tokenOf('alice'), issuer.tokenOf('bob')]);
  const refused = await (await clientOf(gateway, bob)).send('Rome?').catch((error: unknown) => error);
  expect(refused).toMatchObject({
    kind: 'unauthenticated',
    message: expect.stringMatching(/token issuer of the agent weather refused the caller's token .*invalid_grant/),
  });
  const { task: ended } = await (await clientOf(gateway, alice)).send('Rome?');
  expect(ended?.status.state).toBe(done);
  expect(agent.calls.every(({ headers }) => !headers.authorization?.includes(bob))).toBe(true);
});

it('a gateway at a real issuer gets a new token when one is revoked in the middle of a task, and ends the task when there is none', async () => {
  const revoked: string[] = [];
  const revoking = async (all: readonly Seen[]): Promise<void> => {
    const { token = '' } = all.at(-1) ?? {};
    if (revoked.includes(token)) return;
    revoked.push(token);
    if (revoked.length === 2) issuer.barred.add('alice');
    await issuer.revoke(token);
  };
  const { issuer, agent, seen } = await start({}, (_, all) => void revoking(all));
  const gateway = await gatewayOf(issuer, agent.url);
  const alice = await clientOf(gateway, await issuer.tokenOf('alice'));
  const { task: ended } = await alice.send('Rome?');
  expect(ended?.status.state).toBe('TASK_STATE_FAILED');
  expect(JSON.stringify(ended?.status)).toMatch(/token issuer of the agent weather refused the caller's token/);
  expect(JSON.stringify(ended)).not.toContain(revoked[0]);
  expect(new Set(seen.map(({ token }) => token)).size).toBe(2);
  expect(issuer.granted).toHaveLength(2);
});

it('a gateway at a real issuer goes on with a task after a restart, without the caller, and refreshes its token', async () => {
  const store = `sqlite:${join(newFolder(), 'gateway.db')}`;
  let restarted = 0;
  const { issuer, agent, seen, complete } = await start({ life: 3, refreshes: true }, (_, all) => {
    // A token after the restart, and one that came after it.
    const after = new Set(all.slice(restarted).map(({ token }) => token));
    if (restarted > 0 && after.size > 1) complete();
  });
  const before = await gatewayOf(issuer, agent.url, { store });
  const token = await issuer.tokenOf('alice');
  const client = await clientOf(before, token);
  const { task: begun } = await client.send('Rome?', { returnImmediately: true });
  await expect.poll(() => seen.length).toBeGreaterThan(1);
  await before.close();
  restarted = seen.length;
  issuer.barred.add('alice');
  const after = await gatewayOf(issuer, agent.url, { store });
  const again = await clientOf(after, token);
  await expect
    .poll(async () => (await again.getTask({ id: begun?.id ?? '' })).status.state, { timeout: paced(45_000) })
    .toBe(done);
  expect(new Set(seen.slice(restarted).map(({ sub }) => sub))).toEqual(new Set(['alice']));
  expect(issuer.granted).toHaveLength(1);
});

it('a gateway at a real issuer signs about its callers itself, with the JWT bearer grant', async () => {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519');
  const path = join(newFolder(), 'gateway.pem');
  writeFileSync(path, privateKey.export({ type: 'pkcs8', format: 'pem' }));
  const { issuer, agent, seen, complete } = await start({ gatewayKey: publicKey }, () => complete());
  const gateway = await gatewayOf(issuer, agent.url, { auth: `type: jwtBearer\n      privateKey: ${path}` });
  const { task: ended } = await (await clientOf(gateway, await issuer.tokenOf('alice'))).send('Rome?');
  expect(ended?.status.state).toBe(done);
  expect(issuer.granted).toEqual([{ grant: 'jwtBearer', sub: 'alice' }]);
  expect(seen[0]).toMatchObject({ sub: 'alice', act: { sub: 'gateway' } });
});

import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { expect, it } from 'vitest';
import { parseConfig } from '../../../src/config/parse.ts';
import { askAdmin, callsOf } from '../../support/admin.ts';
import { openGateway } from '../../support/gateway.ts';
import { paced } from '../../support/pace.ts';
import { listenOn } from '../../support/peer.ts';
import { sharedPostgres } from '../../support/postgres.ts';
import { startReplica } from '../../support/replicas.ts';
import { found, register, said, startAgent } from './registering.ts';

/** Slow tests of registration: leases of at least ten seconds, and a hundred agents, half of which are hostile. */

const half = 50;

const cardOf = (url: string, more: object = {}): string =>
  JSON.stringify({
    name: 'Guest',
    description: 'A guest',
    version: '1',
    capabilities: {},
    skills: [],
    defaultInputModes: ['text/plain'],
    defaultOutputModes: ['text/plain'],
    supportedInterfaces: [{ url, protocolBinding: 'JSONRPC', protocolVersion: '1.0' }],
    ...more,
  });

const read = { times: 0 };

/** Answers of hostile agents to requests for their cards. */
const hostile: readonly ((res: ServerResponse, url: string) => void)[] = [
  // Never.
  () => {},
  // Without an end, slowly and as fast as it is read.
  (res) => {
    const timer = setInterval(() => res.write(' '), 200);
    res.on('close', () => clearInterval(timer));
  },
  (res) => {
    const write = (): void => {
      while (!res.destroyed && res.write(' '.repeat(65_536)));
    };
    res.on('drain', write);
    write();
  },
  (res) => res.end('<h1>no card</h1>'),
  (res) => res.end(`${'['.repeat(30_000)}${']'.repeat(30_000)}`),
  (res, url) => res.end(cardOf(url, { description: 'x'.repeat(500_000) })),
  (res, url) => {
    read.times += 1;
    res.end(cardOf(url, { description: `read ${read.times} times` }));
  },
  (res) => res.writeHead(302, { location: 'http://169.254.169.254/latest/meta-data' }).end(),
  (res) => res.end(cardOf('http://169.254.169.254/latest/meta-data')),
  (res) => res.destroy(),
];

it(
  'half of the agents that are registered cannot harm the other half, nor the gateway',
  async () => {
    const good = await openGateway('agents: { own: { kind: reference } }');
    const answer = (req: IncomingMessage, res: ServerResponse): void => {
      const [, kind = '', at = '0'] = (req.url ?? '').split('/');
      res.setHeader('content-type', 'application/json');
      if (kind === 'good') res.end(cardOf(`${good.url}/own`));
      else hostile[Number(at) % hostile.length]?.(res, `http://${req.headers.host}/bad/3/rpc`);
    };
    const { origin } = await listenOn(createServer(answer));
    const gateway = await openGateway(
      'agents: {}\nregistration: { allow: true, approve: never }\nlimits: { requestsPerMinute: unlimited }',
    );
    const calls = callsOf(`${gateway.url}/good-0`);
    const registerAt = (name: string, path: string): Promise<unknown> =>
      register(gateway, { name, url: `${origin}/${path}/card.json` }).catch((thrown: Error) => thrown);
    const before = process.memoryUsage().rss;

    const wanted = Array.from({ length: half }, (_, i) => [
      [`good-${i}`, `good/${i}`],
      [`bad-${i}`, `bad/${i}`],
    ]).flat() as [string, string][];
    const work = async (): Promise<void> => {
      for (let next = wanted.shift(); next; next = wanted.shift()) await registerAt(...next);
    };
    await Promise.all(Array.from({ length: 16 }, work));

    const list = async () => (await askAdmin(gateway.url, 'ListRegistrations', { pageSize: 500 })).registrations ?? [];
    const isServed = ({ name, active }: { readonly name: string; readonly active?: boolean }): boolean =>
      name.startsWith('good-') && active === true;
    // A card that could not be read in time is read again.
    await expect.poll(async () => (await list()).filter(isServed).length, { timeout: paced(60_000) }).toBe(half);
    const listed = await list();
    for (let i = 0; i < half; i += 10) {
      const { request } = callsOf(`${gateway.url}/good-${i}`);
      const body = JSON.stringify({
        message: { messageId: `${i}`, role: 'ROLE_USER', parts: [{ text: 'say hello' }] },
      });
      expect(await (await request('/message:send', { method: 'POST', body })).json()).toMatchObject({
        message: { parts: [{ text: 'hello' }] },
      });
    }
    // Each card that changes has one revision that waits, or is served, and at most nine before it.
    for (const { revisions = [] } of listed) expect(revisions.length).toBeLessThanOrEqual(10);
    const bad = listed.find(({ name, active }) => name.startsWith('bad-') && active)?.name ?? '';
    const refused = await callsOf(`${gateway.url}/${bad}`).request('/message:send', {
      method: 'POST',
      body: JSON.stringify({ message: { messageId: '1', role: 'ROLE_USER', parts: [{ text: 'hello' }] } }),
    });
    expect(refused.status).toBeGreaterThanOrEqual(500);
    expect(await calls.send('say hello').catch(() => 'refused')).not.toBe('refused');
    expect(process.memoryUsage().rss - before).toBeLessThan(600 * 2 ** 20);
  },
  paced(240_000),
);

it('an agent that is registered gets no new tasks after its lease, until it is renewed', async () => {
  const agent = await openGateway('agents: { own: { kind: reference } }');
  const settings = 'registration: { allow: true, approve: never }';
  const gateway = await openGateway(`agents: {}\n${settings}`);
  const lapsed = ['new', 'taken'];
  for (const name of lapsed) await register(gateway, { name, url: agent.url, leaseSeconds: 10 });
  const { id } = await callsOf(`${gateway.url}/new`).send('ask', { immediately: false });
  for (const name of lapsed) await expect.poll(() => said(gateway, name), { interval: 500 }).toBe(503);
  expect(await found(gateway, 'new')).toMatchObject({ active: false });
  // A task that is under way continues.
  expect(await said(gateway, 'new', id)).not.toBe(503);
  expect(await askAdmin(gateway.url, 'RenewAgent', { name: 'new' })).toMatchObject({ active: true });
  expect(await said(gateway, 'new')).not.toBe(503);

  // The name may belong to an agent of the configuration by then, from which the registration takes no tasks.
  const text = `listen: { port: 0 }\nstore: "memory:"\nagents: { taken: { kind: reference } }\n${settings}`;
  await gateway.gateway.reload(parseConfig(text, { file: '/gateway.yaml' }));
  await expect.poll(() => said(gateway, 'taken')).toBe('hello');
  expect(await found(gateway, 'taken')).toMatchObject({ active: false });
});

it('a registration is back at every replica when one of them renews its lease', async () => {
  const store = await (await sharedPostgres()).database();
  const config = 'agents: {}\nregistration: { allow: true, approve: never }';
  const [one, two] = await Promise.all(['one', 'two'].map((name) => startReplica(store, name, { config })));
  const agent = await startAgent(['one']);
  if (!one || !two) throw new Error('no replicas');
  await register(one, { name: 'new', url: agent.url, leaseSeconds: 10 });
  for (const replica of [one, two]) {
    await expect.poll(() => said(replica, 'new'), { interval: 500 }).toBe(503);
  }
  await askAdmin(one.url, 'RenewAgent', { name: 'new' });
  expect(await said(one, 'new')).toBe('one');
  await expect.poll(() => said(two, 'new')).toBe('one');
});

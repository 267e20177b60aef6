import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { connect } from '../../../src/client/index.ts';
import { openGateway } from '../../support/gateway.ts';
import { events, framings, type HostileAgent, type Speech, startHostile } from '../../support/hostile-agent.ts';
import { afterTest, bodyOf, sendJson, serve } from '../../support/peer.ts';
import { tell } from './hostile-bridge.ts';

/** Credentials that the gateway sends to an agent: every kind that a configuration can hold, over every binding. */

const { task, status } = events;

/** A gateway as a configuration has it; its origin. */
async function gatewayOf(agents: string, more = ''): Promise<string> {
  const text = `listen: { host: localhost, port: 0${more} }\nstore: "memory:"\nagents:\n${agents}\n`;
  const { gateway, url } = await openGateway(text, { file: fileURLToPath(import.meta.url) });
  afterTest(() => gateway.close({ drainMs: 0 }));
  return url;
}

/** An agent that works until it is polled, and its URL. */
async function working(speech: Speech): Promise<{ agent: HostileAgent; url: string; settings: string }> {
  const agent = await startHostile(speech);

  agent.script = {
    SendMessage: (exchange) => exchange.answer(agent.happen(task())),
    SendStreamingMessage: async (exchange) => {
      await tell(agent, exchange)(task(), status('WORKING'));
      exchange.end();
    },
    GetTask: (exchange) => {
      agent.happen(status('COMPLETED', 'Done'));
      exchange.answer(agent.truth);
    },
  };
  if (speech !== 'a2a-1.0 grpc') return { agent, url: agent.url, settings: '' };
  // Another port is another origin: the credentials have to be configured for it.
  const { supportedInterfaces } = (await (await fetch(`${agent.url}/.well-known/agent-card.json`)).json()) as {
    supportedInterfaces: { url: string }[];
  };
  return { agent, url: `http://${supportedInterfaces[0]?.url}`, settings: ', dialect: a2a-1.0, transport: grpc' };
}

const kinds: readonly (readonly [auth: string, header: string, shown: string])[] = [
  ['{ type: apiKey, key: k-1, header: X-Their-Key }', 'x-their-key', 'k-1'],
  ['{ type: bearer, token: t-1 }', 'authorization', 'Bearer t-1'],
  ['{ type: basic, username: gw, password: "pä:ss" }', 'authorization', `Basic ${btoa('gw:p\xc3\xa4:ss')}`],
  ['{ type: forward }', 'authorization', 'Bearer callers-own'],
];

describe.each(framings)('an upstream agent of %s', (speech) => {
  // All credentials are written by one path; each transport adds them to its calls.
  it.each(speech === 'a2a-1.0 jsonrpc' ? kinds : kinds.slice(1, 2))(
    `an upstream agent of ${speech} receives %s with every call`,
    async (auth, header, shown) => {
      const { agent, url, settings } = await working(speech);
      const origin = await gatewayOf(`  up: { kind: upstream, url: "${url}", auth: ${auth}${settings} }`);
      const client = await connect(`${origin}/up`, { as: 'a2a-1.0', via: 'jsonrpc', bearer: 'callers-own' });
      afterTest(() => client.close());
      expect((await client.send('go')).task?.status.state).toBe('TASK_STATE_COMPLETED');
      expect(agent.calls.length).toBeGreaterThan(1);
      for (const { headers } of agent.calls) expect(headers[header]).toBe(shown);
      // The caller's own credentials go no further, unless the configuration says so.
      if (!auth.includes('forward'))
        expect(JSON.stringify(agent.calls.map((one) => one.headers))).not.toContain('callers');
    },
  );

  it(`an upstream agent of ${speech} receives a token of the client-credentials grant, which is fetched once`, async () => {
    let tokenRequests = 0;
    const endpoint = await serve((_, res) => {
      tokenRequests += 1;
      sendJson(res, { access_token: `granted-${tokenRequests}`, token_type: 'bearer', expires_in: 3_600 });
    });
    const { agent, url, settings } = await working(speech);
    const auth = `{ type: oauth2, tokenUrl: "${endpoint}/token", clientId: gw, clientSecret: s }`;
    const origin = await gatewayOf(`  up: { kind: upstream, url: "${url}", auth: ${auth}${settings} }`);
    const client = await connect(`${origin}/up`, { as: 'a2a-1.0', via: 'jsonrpc' });
    afterTest(() => client.close());
    await Promise.all([client.send('go'), client.send('go')]);
    expect(new Set(agent.calls.map(({ headers }) => headers.authorization))).toEqual(new Set(['Bearer granted-1']));
    expect(tokenRequests).toBe(1);
  });

  it(`an upstream agent of ${speech} receives a token for each caller with every call, which is fetched once`, async () => {
    const subjects: (string | null)[] = [];
    const endpoint = await serve(async (req, res) => {
      const subject = new URLSearchParams(await bodyOf(req)).get('subject_token');
      subjects.push(subject);
      sendJson(res, { access_token: `for-${subject}`, token_type: 'bearer', expires_in: 3_600 });
    });
    const { agent, url, settings } = await working(speech);
    const auth = `{ type: exchange, tokenUrl: "${endpoint}/token", clientId: gw, clientSecret: s, audience: up }`;
    const origin = await gatewayOf(`  up: { kind: upstream, url: "${url}", auth: ${auth}${settings} }`);
    const callers = ['alice', 'bob', undefined].map((bearer) =>
      connect(`${origin}/up`, { as: 'a2a-1.0', via: 'jsonrpc', ...(bearer && { bearer }) }),
    );
    const [alice, bob, nobody] = await Promise.all(callers);
    for (const client of [alice, bob, nobody]) afterTest(() => client?.close());
    await Promise.all([alice?.send('go'), bob?.send('go')]);
    await alice?.send('go');
    const shown = agent.calls.map(({ headers }) => headers.authorization);
    expect(new Set(shown)).toEqual(new Set(['Bearer for-alice', 'Bearer for-bob']));
    expect(subjects.toSorted()).toEqual(['alice', 'bob']);
    const { length } = agent.calls;
    const refused = await nobody?.send('go').then(
      ({ task }) => task?.status,
      ({ kind }) => kind,
    );
    expect(JSON.stringify(refused)).toMatch(/unauthenticated|auth\.type exchange/);
    expect(agent.calls).toHaveLength(length);
  });
});

describe('a client certificate of the gateway', () => {
  const file = (name: string): string => fileURLToPath(new URL(`../../support/tls/${name}`, import.meta.url));

  it('a client certificate of the gateway is sent over every binding, and calls without it fail at an agent that requires one', async () => {
    const own = `, tls: { cert: "${file('server.pem')}", key: "${file('server.key')}", clientCa: "${file('ca.pem')}" }`;
    const agent = await gatewayOf('  demo: { kind: reference }', own);
    const auth = (more: string): string =>
      `{ kind: upstream, url: "${agent}", auth: { type: mtls, cert: "${file('client.pem')}", key: "${file('client.key')}", ca: "${file('ca.pem')}" }${more} }`;
    const bindings = ['jsonrpc', 'rest', 'grpc', 'connect'] as const;
    const agents = bindings.map((via) => `  ${via}: ${auth(`, transport: ${via}`)}`);
    const origin = await gatewayOf([...agents, `  without: { kind: upstream, url: "${agent}" }`].join('\n'));
    for (const via of bindings) {
      const client = await connect(`${origin}/${via}`, { as: 'a2a-1.0', via: 'jsonrpc' });
      afterTest(() => client.close());
      const texts: (string | undefined)[] = [];
      for await (const { artifactUpdate } of client.sendStream('hello'))
        texts.push(artifactUpdate?.artifact.parts[0]?.text);
      expect(texts).toContain('hello');
    }
    const stranger = await connect(`${origin}/without`, { as: 'a2a-1.0', via: 'jsonrpc' });
    afterTest(() => stranger.close());
    await expect(stranger.send('hello')).rejects.toMatchObject({ kind: 'upstreamUnreachable' });
  });
});

it.each([
  [401, 'unauthenticated', /does not accept the caller's credentials/],
  [403, 'permissionDenied', /denies the caller access/],
] as const)(
  'a caller whose forwarded credentials the agent refuses gets the corresponding error: %i',
  async (code, kind, why) => {
    const { agent, url } = await working('a2a-1.0 jsonrpc');
    agent.gate = (path, _, res) => {
      if (path.startsWith('/rpc')) res.writeHead(code).end();
      return path.startsWith('/rpc');
    };
    const origin = await gatewayOf(`  up: { kind: upstream, url: "${url}", auth: { type: forward } }`);
    const client = await connect(`${origin}/up`, { as: 'a2a-1.0', via: 'rest', bearer: 'expired' });
    afterTest(() => client.close());
    await expect(client.send('go')).rejects.toMatchObject({ kind, message: expect.stringMatching(why) });
  },
);

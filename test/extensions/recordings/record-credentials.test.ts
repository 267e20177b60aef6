import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { askAdmin } from '../../support/admin.ts';
import { openGateway } from '../../support/gateway.ts';
import { sendJson, serve } from '../../support/peer.ts';
import {
  alice,
  asAlice,
  asOperator,
  message,
  openRecorded,
  peer,
  recordingAt,
  settings,
} from '../../support/recording.ts';

/** Credentials are in no record. */

/** An agent without a card, which repeats in an error what headers it got, as broken agents do. */
let echoesUrl: string;
let url: string;
let close: () => Promise<void>;
const { recorded, post, bindings } = recordingAt(() => url);

beforeAll(async () => {
  echoesUrl = await serve((req, res) => {
    req.resume();
    if (req.method === 'GET') return void res.writeHead(404).end();
    const headers = JSON.stringify(req.headers);
    const message = 'z'.repeat(256 * 1024 - headers.length) + headers;
    sendJson(res, { jsonrpc: '2.0', id: '1', error: { code: -32603, message } });
  });
  ({ url, close } = await openRecorded());
});
afterAll(() => close());

describe('credentials', () => {
  const markers = {
    cookie: 'marker-cookie-5f2a',
    session: 'marker-session-77aa',
    query: 'marker-query-13bd',
    token: 'marker"token\\tail-of-it',
    credentials: 'marker-credentials-90ef',
    path: 'marker-path-4410',
    user: 'marker-user-8123',
    member: 'marker-member-3321',
    basic: 'marker-basic-7001',
    short: 'mk7',
  };

  test.each(bindings)('credentials appear nowhere in the record of a call over $name', async ({ send, binary }) => {
    const webhook = `https://${markers.user}:pw@hooks.example.com/${markers.path}?access_token=${markers.query}`;
    const push = {
      url: webhook,
      token: markers.token,
      authentication: { scheme: 'Bearer', credentials: markers.credentials },
    };
    const headers = {
      cookie: `sid=${markers.cookie}`,
      'mcp-session-id': markers.session,
      authorization: `Basic ${Buffer.from(`me:${markers.basic}`).toString('base64')}`,
    };
    for (const agent of ['demo', 'rpc03', 'vault', 'grpc03']) {
      const said = message(`echo ${alice.key} ${markers.basic} ${JSON.stringify({ api_key: markers.member })}`);
      const request = { message: said, configuration: { taskPushNotificationConfig: push } };
      const calls = await recorded({ principal: 'key:alice' }, () =>
        send(agent, request, headers).catch(() => undefined),
      );
      expect(calls).toHaveLength(1);
      const text = JSON.stringify(calls);
      const bytes = [...text.matchAll(/"base64":"([^"]+)"/g)].map(([, base64 = '']) =>
        Buffer.from(base64, 'base64').toString('latin1'),
      );
      if (binary) expect(bytes.join()).toContain('echo');
      const known = [alice.key, peer.key, ...Object.values(markers), 'tail-of-it'];
      for (const marker of known) {
        for (const where of [text, ...bytes]) expect(where).not.toContain(marker);
      }
      expect(text).toContain('[secret]');
    }
  });

  test('credentials are found in texts that are made to keep the search busy', async () => {
    const quarter = 60 * 1024;
    const texts = [
      `"token":"${markers.member}${'\\'.repeat(4 * quarter)}`,
      `?${'key'.repeat(quarter)} ${'?key'.repeat(quarter / 4)}?key=${markers.member}`,
      `${'http://'.repeat(quarter / 7)}${'"pushNotificationConfig":{'.repeat(quarter / 26)}"api_key":"${markers.member}"`,
      Array.from({ length: 3_000 }, (_, at) => `"token":"${markers.member}-${at}"`).join(),
    ];
    for (const text of texts) {
      const body = JSON.stringify({ message: message(text) });
      const [call] = await recorded({ agent: 'demo' }, () => post('/demo/message:send', 'application/json', body));
      expect(Number(call?.client?.request?.size)).toBeGreaterThan(50_000);
      expect(JSON.stringify(call)).not.toContain(markers.member);
    }
  });

  test.each([
    ['of the gateway', () => `{ type: bearer, token: "${markers.credentials}" }`],
    [
      'of the gateway for a caller',
      (issuer: string) =>
        `{ type: exchange, tokenUrl: "${issuer}", clientId: gw, clientSecret: "${markers.user}", audience: echoes }`,
    ],
  ])('credentials that an agent repeats, or that are cut, are not shown: %s', async (_, authAt) => {
    const issuer = await serve((req, res) => {
      req.resume();
      sendJson(res, { access_token: markers.credentials, refresh_token: markers.path });
    });
    const own = await openGateway(
      settings(
        `  echoes: { kind: upstream, url: "${echoesUrl}/?key=${markers.query}", dialect: a2a-0.3, transport: jsonrpc, keep: none, auth: ${authAt(issuer)} }`,
      ),
    );
    await askAdmin(own.url, 'Record', { agent: 'echoes' }, asOperator);
    await fetch(`${own.url}/echoes/message:send`, {
      method: 'POST',
      headers: {
        ...asAlice,
        'a2a-version': '1.0',
        'content-type': 'application/json',
        authorization: `Bearer ${markers.session}`,
      },
      body: JSON.stringify({ message: message('hello') }),
    });
    const { records = [] } = await askAdmin(own.url, 'ListRecords', {}, asOperator);
    const text = JSON.stringify(records);
    expect(text).toContain('zzzz');
    const { query, credentials, session, user, path } = markers;
    for (const marker of [query, credentials, session, user, path, alice.key, 'marker-cred']) {
      expect(text).not.toContain(marker);
    }
  });
});

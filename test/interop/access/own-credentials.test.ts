import { inspect } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createReferenceAgent } from '../../../src/agents/reference.ts';
import { connect } from '../../../src/client/index.ts';
import { parseConfig } from '../../../src/config/parse.ts';
import type { ShownCredentials } from '../../../src/core/model/principal.ts';
import type { Logger } from '../../../src/core/ports/logger.ts';
import type { Gateway } from '../../../src/gateway/compose/gateway.ts';
import { openGateway } from '../../support/gateway.ts';
import { credentials } from './credentials.ts';

/** Credentials that are meant for the gateway end there: no agent gets them, and no log holds them. */

const lines: string[] = [];
const log = (fields: object, message: string): void => {
  lines.push(message, inspect(fields, { depth: 20, showHidden: true }), JSON.stringify(fields));
};
const logger: Logger = { debug: log, info: log, warn: log, error: log };

let gateway: Gateway;
let url: string;
const passed: (ShownCredentials | undefined)[] = [];

beforeAll(async () => {
  const agent = createReferenceAgent();
  const spy: typeof agent = {
    ...agent,
    execute(request, context) {
      passed.push(context.credentials?.());
      return agent.execute(request, context);
    },
  };
  const settings = credentials.replace('anonymous: false', 'anonymous: false\n  apiKeyHeader: X-Gateway-Key');
  const config = parseConfig(`listen: { port: 0 }\nstore: "memory:"\n${settings}`, { file: '/own.yaml' });
  ({ gateway, url } = await openGateway({ ...config, defaultAgent: 'spy' }, { logger, agents: { spy } }));
});
afterAll(() => gateway.close({ drainMs: 0 }));

async function send(headers: Record<string, string>, via: 'rest' | 'grpc' = 'rest'): Promise<unknown> {
  const client = await connect(url, { as: 'a2a-1.0', via, headers });
  try {
    passed.length = 0;
    await client.send('hello');
    return passed[0];
  } finally {
    await client.close();
  }
}

const form = (secret: string) =>
  new URLSearchParams({ grant_type: 'client_credentials', client_id: 'vault', client_secret: secret });

it.each(['rest', 'grpc'] as const)(
  'agents do not receive the credentials of callers of the gateway, over %s',
  async (via) => {
    const granted = await fetch(`${url}/oauth/token`, { method: 'POST', body: form('secret of vault') });
    const { access_token: token } = (await granted.json()) as { access_token: string };
    expect(await send({ authorization: `Bearer ${token}` }, via)).toBeUndefined();
    expect(await send({ 'x-gateway-key': 'key of alice' }, via)).toBeUndefined();
    expect(await send({ 'x-api-key': 'key of alice' }, via)).toBeUndefined();
    // What is shown besides is meant for the agent.
    expect(await send({ 'x-gateway-key': 'key of alice', 'x-api-key': 'of the agent' }, via)).toEqual({
      apiKey: 'of the agent',
    });
    expect(await send({ 'x-api-key': 'key of alice', authorization: 'Basic b2Y6aXQ=' }, via)).toEqual({
      authorization: 'Basic b2Y6aXQ=',
    });
  },
);

it('logs contain no credential, neither valid nor invalid', async () => {
  const wrong = ['wrong key 4711', 'wrong.token.4711', 'wrong secret 4711'];
  const ask = (headers: Record<string, string>) =>
    fetch(`${url}/tasks`, { headers: { 'a2a-version': '1.0', ...headers } });
  expect((await ask({ 'x-api-key': wrong[0] ?? '' })).status).toBe(401);
  expect((await ask({ authorization: `Bearer ${wrong[1]}` })).status).toBe(401);
  const refused = await fetch(`${url}/oauth/token`, { method: 'POST', body: form(wrong[2] ?? '') });
  expect(refused.status).toBe(401);
  const granted = await fetch(`${url}/oauth/token`, { method: 'POST', body: form('secret of vault') });
  const { access_token: token } = (await granted.json()) as { access_token: string };
  expect((await ask({ authorization: `Bearer ${token}` })).status).toBe(200);
  const text = lines.join('\n');
  for (const event of ['authentication.failed', 'token.refused', 'token.issued']) expect(text).toContain(event);
  for (const secret of [...wrong, 'key of alice', 'secret of vault', token, 'sha256'])
    expect(text).not.toContain(secret);
});

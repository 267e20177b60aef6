import { afterAll, beforeAll, expect, it } from 'vitest';
import { createReferenceAgent } from '../../src/agents/reference.ts';
import { connect } from '../../src/client/index.ts';
import { parseConfig } from '../../src/config/parse.ts';
import type { ShownCredentials } from '../../src/core/model/principal.ts';
import type { Gateway } from '../../src/gateway/compose/gateway.ts';
import { openGateway } from '../support/gateway.ts';
import { credentials } from './credentials.ts';

/** Credentials that are meant for the gateway end there: no agent gets them. */

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
  ({ gateway, url } = await openGateway({ ...config, defaultAgent: 'spy' }, { agents: { spy } }));
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
    // Further credentials are meant for the agent.
    expect(await send({ 'x-gateway-key': 'key of alice', 'x-api-key': 'of the agent' }, via)).toEqual({
      apiKey: 'of the agent',
    });
    expect(await send({ 'x-api-key': 'key of alice', authorization: 'Basic b2Y6aXQ=' }, via)).toEqual({
      authorization: 'Basic b2Y6aXQ=',
    });
  },
);

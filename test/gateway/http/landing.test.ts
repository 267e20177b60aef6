import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { defineAgent, say } from '../../../src/agents/define.ts';
import { parseConfig } from '../../../src/config/parse.ts';
import type { Gateway } from '../../../src/gateway/compose/gateway.ts';
import { openGateway } from '../../support/gateway.ts';

/** Headers that browsers send. */
const browser = { accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8' };

const hostile = defineAgent({
  name: '<script>alert(1)</script>',
  description: 'Ends the page: </dd></html> "quoted" & \'so\'',
  async *execute() {
    yield say('hi');
  },
});

async function start(settings: string): Promise<{ gateway: Gateway; url: string }> {
  const text = `listen: { host: localhost, port: 0 }\nstore: "memory:"\nagents: { demo: { kind: reference } }\n${settings}`;
  const config = parseConfig(text, { file: 'gateway.yaml' });
  const { gateway, url } = await openGateway(config, { agents: { hostile } });
  return { gateway, url };
}

describe.each(['', 'defaultAgent: demo\n'])('GET / of a gateway with %j', (settings) => {
  let started: Awaited<ReturnType<typeof start>>;
  beforeAll(async () => {
    started = await start(settings);
  });
  afterAll(() => started.gateway.close({ drainMs: 0 }));

  it(`GET / of a gateway with ${JSON.stringify(settings)} shows a browser the agents and their URLs`, async () => {
    const { url } = started;
    const response = await fetch(`${url}/`, { headers: browser });
    const text = await response.text();
    expect([response.status, response.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
    expect(response.headers.get('content-security-policy')).toContain("default-src 'none'");
    for (const shown of [`${url}/demo`, `${url}/demo/.well-known/agent-card.json`, 'Reference agent', '/openapi.json'])
      expect(text).toContain(shown);
  });

  it(`GET / of a gateway with ${JSON.stringify(settings)} shows nothing of an agent as markup`, async () => {
    const text = await (await fetch(`${started.url}/`, { headers: browser })).text();
    expect(text).toContain('&lt;script&gt;alert(1)&lt;/script&gt;');
    expect(text).toContain('&quot;quoted&quot; &amp; &#39;so&#39;');
    expect(text).not.toMatch(/<script/i);
    expect(text.match(/<\/html>/g)).toHaveLength(1);
  });

  it(`GET / of a gateway with ${JSON.stringify(settings)} answers programs with 404, as before`, async () => {
    for (const accept of ['*/*', 'application/json']) {
      const response = await fetch(`${started.url}/`, { headers: { accept } });
      expect([response.status, ((await response.json()) as { error: { code: number } }).error.code]).toEqual([
        404, 404,
      ]);
    }
  });
});

it('a browser without credentials is refused where no caller is admitted without them', async () => {
  const { gateway, url } = await start(
    `auth: { anonymous: false, apiKeys: [{ name: alice, hash: "sha256:${'A'.repeat(43)}" }] }\n`,
  );
  const response = await fetch(`${url}/`, { headers: browser });
  const text = await response.text();
  expect(response.status).toBe(401);
  expect(text).not.toMatch(/demo|Reference agent/);
  await gateway.close({ drainMs: 0 });
});

import { request } from 'node:http';
import { afterAll, expect, it } from 'vitest';
import { parseConfig } from '../../src/config/parse.ts';
import { createDirectory } from '../../src/gateway/agents/agents.ts';
import { openGateway } from '../support/gateway.ts';

/** Agents with hosts of their own, before a whole gateway. */

const config = parseConfig(
  `listen: { port: 0, publicUrl: https://agents.example.com }
store: memory:
auth: { anonymous: true }
defaultAgent: demo
agents:
  demo: { kind: reference }
  weather: { kind: reference, hosts: [weather.example.com, "other.example.com:8443"] }
`,
  { file: 'gw.yaml' },
);

const { gateway, port } = await openGateway(config);
afterAll(() => gateway.close({ drainMs: 0 }));

/** The answer to a request with this `Host` header. */
async function ask(host: string, path: string, body?: object): Promise<Record<string, unknown>> {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  const headers = { host, 'a2a-version': '1.0', ...(body && { 'content-type': 'application/json' }) };
  const req = request({ port, path, headers, method: body ? 'POST' : 'GET' }, (res) => {
    let text = '';
    res.setEncoding('utf8').on('data', (chunk) => {
      text += chunk;
    });
    res.on('end', () => resolve(text));
  });
  req.on('error', reject).end(body && JSON.stringify(body));
  return JSON.parse(await promise);
}

const urlsOf = async (host: string, path: string): Promise<unknown> => {
  const card = await ask(host, path);
  const faces = card.supportedInterfaces as { url: string; protocolBinding: string; tenant?: string }[];
  return faces.map(({ url, protocolBinding, tenant }) => [protocolBinding, url, ...(tenant ? [tenant] : [])].join(' '));
};

const card = '/.well-known/agent-card.json';

it('agents with hosts of their own are called at the root of their hosts', async () => {
  const message = { messageId: 'm', role: 'ROLE_USER', parts: [{ text: 'hello' }] };
  const call = (method: string, params: object) => ({ jsonrpc: '2.0', id: 1, method, params });
  const sent = await ask('Weather.Example.com.', '/', call('SendMessage', { message }));
  const { id } = (sent as { result: { task: { id: string } } }).result.task;
  const get = call('GetTask', { id });
  const kindOf = async (host: string, path: string) => Object.keys(await ask(host, path, get)).at(-1);
  expect(await kindOf('weather.example.com:1234', '/')).toBe('result');
  expect(await kindOf('other.example.com:8443', '/')).toBe('result');
  expect(await kindOf('agents.example.com', '/weather')).toBe('result');
  expect(await kindOf('other.example.com', '/')).toBe('error');
  expect(await kindOf('agents.example.com', '/')).toBe('error');
  const found = await ask('weather.example.com', '/lf.a2a.v1.A2AService/GetTask', { id });
  expect(found.id).toBe(id);
});

it('agents with hosts of their own have cards whose URLs are at the host by which they were asked for', async () => {
  const at = (origin: string, authority: string) =>
    expect.arrayContaining([`JSONRPC ${origin}`, `HTTP+JSON ${origin}`, `GRPC ${authority}`]);
  expect(await urlsOf('weather.example.com', card)).toEqual(
    at('https://weather.example.com', 'weather.example.com:443'),
  );
  // A port that is not configured does not get into a card.
  expect(await urlsOf('weather.example.com:666', card)).toEqual(
    at('https://weather.example.com', 'weather.example.com:443'),
  );
  expect(await urlsOf('other.example.com:8443', card)).toEqual(
    at('https://other.example.com:8443', 'other.example.com:8443'),
  );
  const elsewhere = ['JSONRPC https://agents.example.com/weather', 'GRPC agents.example.com:443 weather'];
  for (const host of ['weather.example.com', 'agents.example.com', 'evil.example']) {
    expect(await urlsOf(host, `/weather${card}`)).toEqual(expect.arrayContaining(elsewhere));
  }
  expect(await urlsOf('evil.example', card)).toEqual(at('https://agents.example.com', 'agents.example.com:443'));
});

it('agents with hosts of their own lists gRPC of 0.3 where a host reaches the agent without a name', async () => {
  const facesAt = async (host: string, path: string): Promise<string> => JSON.stringify(await ask(host, path));
  expect(await facesAt('weather.example.com', `/as/a2a-0.3${card}`)).toContain('"GRPC"');
  expect(await facesAt('agents.example.com', `/weather/as/a2a-0.3${card}`)).not.toContain('"GRPC"');
});

it('agents with hosts of their own are distinguished by host and port', () => {
  const hosts = new Map([
    ['a.example', 'a'],
    ['b.example:8080', 'b'],
    ['[::1]', 'c'],
    ['[::2]:81', 'd'],
  ]);
  const { forHost } = createDirectory(new Map(), undefined, hosts);
  const asked = ['a.example', 'A.EXAMPLE:1', 'a.example.', 'b.example', 'b.example.:8080', 'b.example:80', '[::1]'];
  expect(asked.map(forHost)).toEqual(['a', 'a', 'a', undefined, 'b', undefined, 'c']);
  expect(['[::1]:80', '[::2]', '[::2]:81', '', ':', 'x'].map(forHost)).toEqual([
    'c',
    undefined,
    'd',
    undefined,
    undefined,
    undefined,
  ]);
  expect(createDirectory(new Map(), undefined).forHost('a.example')).toBeUndefined();
});

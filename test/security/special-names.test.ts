import { mkdirSync, writeFileSync } from 'node:fs';
import { type ClientHttp2Session, connect } from 'node:http2';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { createAgentFetch } from '../../src/agents/fetch/agent-fetch.ts';
import { hashOf, shownHash } from '../../src/auth/hash.ts';
import { stateNamed } from '../../src/cli/render.ts';
import { allDialects } from '../../src/client/index.ts';
import { configOfSettings, loadConfig } from '../../src/config/load.ts';
import { parseConfig } from '../../src/config/parse.ts';
import { A2AError } from '../../src/core/model/errors.ts';
import type { Logger } from '../../src/core/ports/logger.ts';
import { encodeDetail } from '../../src/dialects/kernel/rpc-status.ts';
import { canonical } from '../../src/extensions/knowledge/sparql/terms.ts';
import { api as a2a } from '../../src/gen/a2a-1.1/index.ts';
import { api as adminApi } from '../../src/gen/admin-v1/index.ts';
import type { Api } from '../../src/gen/api.ts';
import { api as knowledgeApi } from '../../src/gen/knowledge-v1/index.ts';
import { createUrlGuard } from '../../src/net/guard.ts';
import { createHttpClient } from '../../src/net/http-client.ts';
import { askAdmin, callsOf } from '../support/admin.ts';
import { newFolder } from '../support/folders.ts';
import { adminHeaders, type Opened, openGateway } from '../support/gateway.ts';
import { paced } from '../support/pace.ts';
import { afterTest, serve } from '../support/peer.ts';
import { RawHttp } from '../support/raw.ts';

/** Names that mean something to JavaScript objects, at every place where a name from outside arrives. */
const names = ['__proto__', 'constructor', 'hasOwnProperty'] as const;

/** Log lines about faults of the gateway itself. */
const faults: string[] = [];
const note = (fields: object, message: string): void => {
  const text = JSON.stringify({ ...fields, message }, (_, value) => (value instanceof Error ? value.stack : value));
  if (/TypeError|is not a function|unhandled/i.test(text)) faults.push(text);
};
const logger: Logger = { debug: note, info: note, warn: note, error: note };

const hash = (key: string): string => `"${shownHash(hashOf(key))}"`;

let gateway: Opened;
let http: RawHttp;
let http2: ClientHttp2Session;
beforeAll(async () => {
  gateway = await openGateway(
    `
registration: { allow: true, approve: never }
limits: { requestsPerMinute: unlimited }
auth:
  anonymous: true
  failuresPerMinute: unlimited
  apiKeys:
${names.map((name) => `    - { name: "${name}", hash: ${hash(`key of ${name}`)}, scopes: [tasks] }\n`).join('')}
  tokenEndpoint: { clients: [${names.map((name) => `{ id: "${name}", hash: ${hash(name)}, scopes: [tasks] }`)}] }
defaultAgent: own
agents:
  own: { kind: reference, knowledge: true }
  constructor: { kind: reference }
`,
    { logger },
  );
  http = new RawHttp(gateway.port);
  http2 = connect(gateway.url);
  http2.on('error', () => undefined);
  afterTest(() => http2.destroy());
});

/** The status and the body of an answer over HTTP/2. */
function sendHttp2(headers: Record<string, string>, body = ''): Promise<{ status: number; text: string }> {
  return new Promise((resolve, reject) => {
    const stream = http2.request({ 'content-type': 'application/json', 'a2a-version': '1.0', ...headers });
    let [status, text] = [0, ''];
    stream.on('response', (head) => {
      status = head[':status'] ?? 0;
    });
    stream.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk;
    });
    stream.on('error', reject).on('close', () => resolve({ status, text }));
    stream.setTimeout(10_000, () => stream.destroy(new Error('no answer')));
    stream.end(body);
  });
}

const json = { 'content-type': 'application/json', 'a2a-version': '1.0' };
const sending = (more: object = {}, parts: unknown = [{ text: 'hello' }]): string =>
  JSON.stringify({ message: { messageId: 'm', role: 'ROLE_USER', parts, ...more } });
const echo = (body: string, headers: Record<string, string> = {}) =>
  http.send({ path: '/own/message:send', headers: { ...json, ...headers }, body });

/** Nothing has failed within the gateway, and it serves. */
async function expectUnharmed(): Promise<void> {
  expect(faults).toEqual([]);
  expect((await echo(sending())).status).toBe(200);
  expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
}

describe.each(names)('the name %s', (name) => {
  const isAgentName = name === 'constructor';

  it(`the name ${name} is refused for an agent that registers, where agents cannot have it, and harms no other registration`, async () => {
    const { gateway: other, url } = await openGateway('agents: { own: { kind: reference } }');
    const refused = askAdmin(gateway.url, 'RegisterAgent', { name, url: `${url}/own` });
    const message = isAgentName ? 'configuration' : 'made of a-z';
    await expect(refused).rejects.toMatchObject({ code: -32602, message: expect.stringContaining(message) });
    await askAdmin(gateway.url, 'RegisterAgent', { name: 'guest', url: `${url}/own` });
    await askAdmin(gateway.url, 'RemoveAgent', { name: 'guest' });
    for (const operation of ['RenewAgent', 'RemoveAgent', 'ApproveAgent'] as const)
      await expect(askAdmin(gateway.url, operation, { name, revision: name })).rejects.toMatchObject({ code: -32601 });
    await other.close({ drainMs: 0 });
    await expectUnharmed();
  });

  it(`the name ${name} is refused in configurations where nothing can have it, by file, folder and program`, async () => {
    const agents = JSON.parse(`{ "${name}": { "kind": "reference" } }`);
    const folder = newFolder();
    const file = join(folder, 'gateway.yaml');
    mkdirSync(join(folder, 'agents.d'));
    writeFileSync(file, 'agents: { own: { kind: reference } }\n');
    writeFileSync(join(folder, 'agents.d', 'more.yaml'), `"${name}": { kind: reference }\n`);
    const read = [
      () => configOfSettings({ agents }),
      () => parseConfig(`agents: { "${name}": { kind: reference } }`, { file: '/a.yaml' }),
      () => loadConfig(file),
    ];
    for (const each of read) {
      const config = Promise.resolve().then(each);
      if (isAgentName) expect((await config).agents.get(name)).toMatchObject({ kind: 'reference' });
      else await expect(config).rejects.toThrow(name === '__proto__' ? '__proto__ is not allowed' : 'made of a-z');
    }
    expect(() =>
      parseConfig(`agents: { own: { kind: module, path: "\${constructor}" } }`, { file: '/a.yaml', env: {} }),
    ).toThrow('the environment variable constructor is not set');
  });

  it(`the name ${name} is an ordinary name of an API key, of an OAuth client and of a tenant`, async () => {
    const own = await echo(sending(), { 'x-api-key': `key of ${name}` });
    expect(own.status).toBe(200);
    const form = `grant_type=client_credentials&client_id=${name}&client_secret=${name}`;
    const type = { 'content-type': 'application/x-www-form-urlencoded' };
    const granted = await http.send({ path: '/oauth/token', headers: type, body: form });
    expect(JSON.parse(granted.body.toString())).toHaveProperty('access_token');
    const ofTenant = await http.send({ path: `/own/${name}/message:send`, headers: json, body: sending() });
    expect(ofTenant.status).toBe(200);
    await expectUnharmed();
  });

  it(`the name ${name} is an ordinary name of a member of metadata and of data, and __proto__ is refused`, async () => {
    const member = `{"${name}":{"polluted":1}}`;
    const body = sending({ metadata: 0 }, [0])
      .replace('"metadata":0', `"metadata":${member}`)
      .replace('[0]', `[{"data":${member}}]`);
    const answer = await echo(body);
    if (name === '__proto__') expect(answer.status).toBe(400);
    else {
      expect(answer.status).toBe(200);
      const { task } = JSON.parse(answer.body.toString());
      expect(task.artifacts[0].parts[0].data).toEqual(JSON.parse(member));
    }
    await expectUnharmed();
  });

  it(`the name ${name} is an ordinary name of a header, also where calls are recorded, and of a query parameter`, async () => {
    const { recording } = await askAdmin(gateway.url, 'Record', { agent: 'own' });
    expect((await echo(sending(), { [name]: 'x' })).status).toBe(200);
    const overHttp2 = { ':method': 'POST', ':path': '/own/message:send', [name.toLowerCase()]: 'x' };
    expect((await sendHttp2(overHttp2, sending())).status).toBe(200);
    for (const query of [`${name}=1`, `${name}.polluted=1`, `status.${name}=1`, `pageSize.${name}=1`])
      expect((await http.send({ method: 'GET', path: `/own/tasks?${query}`, headers: json })).status).toBeLessThan(500);
    await askAdmin(gateway.url, 'Record', { stop: recording?.id ?? '' });
    await expectUnharmed();
  });

  it(`the name ${name} is no method of HTTP, of JSON-RPC or of gRPC, at any address`, async () => {
    const paths = [
      '/own',
      '/own/message:send',
      '/console/session',
      '/console/sign-in',
      '/mcp',
      '/healthz',
      '/oauth/token',
    ];
    for (const path of paths) {
      const { status } = await sendHttp2({ ':method': name, ':path': path, 'a2a-console': '1' });
      expect({ path, status }).toEqual({ path, status: expect.any(Number) });
      expect(status).toBeGreaterThanOrEqual(400);
      expect(status).toBeLessThan(500);
    }
    for (const dialect of allDialects()) {
      const body = JSON.stringify({ jsonrpc: '2.0', id: name, method: name, params: {} });
      const { text } = await sendHttp2({ ':method': 'POST', ':path': `/own/as/${dialect.name}` }, body);
      expect(text).not.toContain('-32603');
    }
    for (const path of [
      `/own/${name}`,
      `/${name}`,
      `/own/as/${name}`,
      `/${name}.${name}/${name}`,
      `/lf.a2a.v1.A2AService/${name}`,
    ])
      expect((await sendHttp2({ ':method': 'POST', ':path': path }, '{}')).status).not.toBe(500);
    await expectUnharmed();
  });

  it.each([
    ['A2A', a2a, '/own', ''],
    ['the admin service', adminApi, '', 'admin/'],
    ['the knowledge service', knowledgeApi, '/own', 'knowledge/'],
  ] as const)(
    `the name ${name} is an ordinary value of every text in a request of %s`,
    async (_, api, path, prefix) => {
      for (const operation of api.operations) {
        const { fields } = (api as Api).fields.messages[operation.request] ?? { fields: [] };
        const texts = fields.filter(({ kind, type }) => kind === 'scalar' && type === 'string');
        for (const text of texts) {
          const params = { [text.jsonName]: text.repeated ? [name] : name };
          const rpc = operation.rpc;
          const method = prefix === '' ? rpc : `${prefix}${rpc.charAt(0).toLowerCase()}${rpc.slice(1)}`;
          const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
          const signal = AbortSignal.timeout(paced(2_000));
          const headers = { ...json, ...adminHeaders(gateway.url), accept: 'application/json, text/event-stream' };
          const response = await fetch(`${gateway.url}${path}`, { method: 'POST', headers, body, signal });
          const answer =
            operation.streaming && response.headers.get('content-type')?.includes('event-stream')
              ? ''
              : await response.text();
          await response.body?.cancel().catch(() => undefined);
          expect({ method, params, isOwnFault: answer.includes('-32603') }).toEqual({
            method,
            params,
            isOwnFault: false,
          });
        }
      }
      await expectUnharmed();
    },
  );

  it(`the name ${name} is an ordinary member of a card, of its skills and of its security schemes`, async () => {
    const scheme = { httpAuthSecurityScheme: { scheme: 'bearer' } };
    const text = JSON.stringify({
      name: 'Guest',
      description: 'x',
      version: '1',
      capabilities: {},
      defaultInputModes: ['text/plain'],
      defaultOutputModes: ['text/plain'],
      special: 1,
      skills: [{ id: name, name, description: name, tags: [name] }],
      securitySchemes: { special: scheme },
      securityRequirements: [{ schemes: { special: {} } }, { schemes: { [name === '__proto__' ? 'x' : name]: {} } }],
      supportedInterfaces: [{ url: `${gateway.url}/own`, protocolBinding: 'JSONRPC', protocolVersion: '1.0' }],
    }).replaceAll('"special":', `"${name === '__proto__' ? 'proto' : name}":`);
    const origin = await serve((_, res) => res.setHeader('content-type', 'application/json').end(text));
    const registered = await askAdmin(gateway.url, 'RegisterAgent', { name: 'carded', url: `${origin}/card.json` });
    expect(registered).toMatchObject({ active: true });
    const listed = await askAdmin(gateway.url, 'ListRegistrations', {});
    expect(listed.registrations?.map((each) => each.name)).toEqual(['carded']);
    for (const dialect of allDialects()) {
      const card = await fetch(`${gateway.url}/carded/as/${dialect.name}/.well-known/agent-card.json`);
      expect({ dialect: dialect.name, status: card.status }).toEqual({
        dialect: dialect.name,
        status: expect.any(Number),
      });
      expect(card.status).toBeLessThan(500);
      await card.text();
    }
    await askAdmin(gateway.url, 'RemoveAgent', { name: 'carded' });
    await expectUnharmed();
  });

  it(`the name ${name} is an ordinary name of a tool, and of an argument of a tool`, async () => {
    const headers = { ...json, accept: 'application/json, text/event-stream' };
    const call = (params: object) =>
      http.send({
        path: '/mcp',
        headers,
        body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params }),
      });
    for (const params of [
      { name, arguments: {} },
      { name: 'own', arguments: { [name]: 'x' } },
      { name: 'tasks', arguments: { agent: name } },
    ])
      expect((await call(params)).body.toString()).not.toContain('-32603');
    await expectUnharmed();
  });

  it(`the name ${name} is an ordinary term, datatype and alias of the knowledge graph`, async () => {
    const { post } = callsOf(`${gateway.url}/own`);
    const add = {
      op: 'add',
      statement: { subject: { id: name }, predicate: { id: name }, object: { value: name, type: name } },
    };
    await post('/knowledge:update', { mutations: [add] }).catch((thrown: Error & { status: number }) =>
      expect(thrown.status).toBe(400),
    );
    const query = `query($${name}: ID) { ${name}: statements(subject: $${name}) { ${name}: nodes { graph } } }`;
    const variables = `{"${name}":"${name}"}`;
    const response = await fetch(`${gateway.url}/own/knowledge:query`, {
      method: 'POST',
      headers: json,
      body: `{"query":${JSON.stringify(query)},"variables":${variables}}`,
    });
    expect(response.status).toBeLessThan(500);
    await expectUnharmed();
  });
});

const receiver = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://localhost:1' };

/** Places that look up a name from outside in a table, and the answer for a name that is not in it. */
const lookups: readonly (readonly [what: string, (name: string) => unknown, (name: string) => unknown])[] = [
  ['the word of a task state', stateNamed, () => undefined],
  ['the datatype of a literal', (datatype) => canonical({ text: '1', datatype }).text, () => '1'],
  ['the text of a boolean literal', (text) => canonical({ text, datatype: 'xsd:boolean' }).text, (text) => text],
  ['the type of the detail of an error', (type) => encodeDetail(type, {}), () => undefined],
  [
    'the name of an error of an agent',
    (name) => A2AError.from(Object.assign(new Error('x'), { name })).kind,
    () => 'internal',
  ],
  [
    'the sampler that the environment names',
    (name) => parseConfig('', { file: '/a.yaml', env: { ...receiver, OTEL_TRACES_SAMPLER: name } }).tracing?.ratio,
    () => 1,
  ],
];

describe.each(lookups)('%s', (label, look, absent) => {
  it.each(names)(`${label} is looked up among the members of its table alone: %s`, (name) => {
    expect(look(name)).toBe(absent(name));
  });
});

it('a server of the environment cannot have the id __proto__', () => {
  const env = { MCP_SERVER_MAP: '{"__proto__":"http://localhost:1"}' };
  const read = () => parseConfig('agents: { a: { kind: mcp } }', { file: '/a.yaml', env });
  expect(read).toThrow("a server's id is made of");
});

it.each(names)('an answer with the content coding %s is refused by its name', async (coding) => {
  const origin = await serve((_, res) => res.writeHead(200, { 'content-encoding': coding }).end('plain'));
  const client = createHttpClient({ guard: createUrlGuard({ loopback: true }) });
  afterTest(() => client.close());
  const fetch = createAgentFetch({ http: client, tracing: undefined })({
    signal: new AbortController().signal,
    trace: {},
  });
  const answer = await fetch(origin, { headers: { [coding]: 'x' } });
  await expect(answer.text()).rejects.toThrow('content coding');
});

import type { ChildProcess } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { allDialects } from '../../src/client/index.ts';
import type { OperationName } from '../../src/core/model/a2a.ts';
import { printed, startCli } from '../support/cli.ts';
import { newFolder } from '../support/folders.ts';
import { paced } from '../support/pace.ts';
import { RawHttp } from '../support/raw.ts';
import { type SparqlServer, startSparqlServer } from '../support/sparql-server.ts';

/**
 * Every text of every request, followed by 100 KB that are hard for pattern matching: one character over and over, and then
 * another. `regular-expressions.slow.test.ts` proves that no pattern is quadratic; this test covers all other code. The gateway
 * runs in a process of its own. Work that grows with the square of a text's length keeps it busy for minutes, and the
 * client gives up first.
 */

/** The runner prints it; `TEST_SEED=N npx vitest run test/security` takes the same characters again. */
const seed = Number(process.env.TEST_SEED ?? 1);

/** Characters that words, numbers, times, ids, names and URLs consist of, or are parted by: a quarter of them, by the seed. */
const characters = [...'0a-.:/ ='].filter((_, at) => (at + seed) % 4 === 0);
const length = 100_000;
const tail = (character: string): string => character.repeat(length / Buffer.byteLength(character));

let database: SparqlServer;
let child: ChildProcess;
let http: RawHttp;
beforeAll(async () => {
  const folder = newFolder();
  database = await startSparqlServer();
  await writeFile(
    join(folder, 'gateway.yaml'),
    `
listen: { port: 0 }
store: "memory:"
limits: { headers: 256KiB }
outbound: { allow: [example.com] }
defaultAgent: demo
agents:
  demo: { kind: reference, knowledge: {} }
  graph: { kind: reference, knowledge: { sparql: { query: "${database.query}", update: "${database.update}" } } }
`,
  );
  child = startCli(['serve', '--config', join(folder, 'gateway.yaml')], { cwd: folder, lasting: true });
  const [, port] = /listening on http:\/\/localhost:(\d+)/.exec(await printed(child, /listening on \S+:\d+/)) ?? [];
  http = new RawHttp(Number(port));
});
afterAll(() => child.kill('SIGKILL'));

/** The value with one of its texts changed, for each of them, with the path to it. */
function* changed(value: unknown, change: (text: string) => string, path = ''): Generator<[path: string, unknown]> {
  if (typeof value === 'string') yield [path, change(value)];
  if (typeof value !== 'object' || value === null) return;
  for (const [key, inner] of Object.entries(value)) {
    for (const [place, other] of changed(inner, change, `${path}/${key}`)) {
      yield [place, Array.isArray(value) ? value.with(Number(key), other) : { ...value, [key]: other }];
    }
  }
}

/** Sends a body with each of its texts made long in every way. Rejects where an answer takes longer than 15 seconds. */
async function tryAll(
  path: string,
  body: object,
  headers: Readonly<Record<string, string>> = {},
  tried: readonly string[] = characters,
): Promise<void> {
  let answers = 0;
  for (const character of tried) {
    for (const [place, other] of changed(body, (text) => `${text}.${tail(character)}x`)) {
      const sent = { path, body: JSON.stringify(other), headers: { 'content-type': 'application/json', ...headers } };
      const { status } = await http.send(sent).catch((cause: unknown) => {
        throw new Error(`No answer to ${JSON.stringify(character)} at ${place}`, { cause });
      });
      expect([200, 204, 400, 401, 404, 422]).toContain(status);
      answers += 1;
    }
  }
  expect(answers).toBeGreaterThan(tried.length);
}

/** One valid request of each operation, with as many texts as there may be. */
const samples: Readonly<Partial<Record<OperationName, object>>> = {
  SendMessage: {
    message: {
      messageId: 'm',
      role: 'ROLE_USER',
      parts: [
        { text: 'say hi', metadata: { a: 'b' } },
        { url: 'https://example.com/a.png', mediaType: 'image/png', filename: 'a.png' },
        { raw: 'aGk=', mediaType: 'text/plain' },
      ],
      contextId: 'c',
      extensions: ['urn:x'],
      metadata: { a: 'b' },
    },
    configuration: { acceptedOutputModes: ['text/plain'] },
  },
  GetTask: { id: 'none' },
  ListTasks: { contextId: 'none', pageToken: 'MQ', statusTimestampAfter: '2026-01-01T00:00:00Z' },
  CancelTask: { id: 'none', metadata: { a: 'b' } },
  SubscribeToTask: { id: 'none' },
  CreateTaskPushNotificationConfig: {
    taskId: 'none',
    id: 'c',
    url: 'https://example.com/hook',
    token: 't',
    authentication: { scheme: 'Bearer', credentials: 'c' },
  },
  GetTaskPushNotificationConfig: { taskId: 'none', id: 'none' },
  ListTaskPushNotificationConfigs: { taskId: 'none', pageToken: 'MQ' },
  DeleteTaskPushNotificationConfig: { taskId: 'none', id: 'none' },
};

/** Dialects that follow each other are alike, so each is tried with every other character. */
const calls = allDialects().flatMap((dialect, index) =>
  [...(dialect.jsonrpc?.calls ?? [])].flatMap(([operation, { method }]) => {
    const request = (samples as Readonly<Record<string, object>>)[operation];
    const tried = characters.filter((_, at) => at % 2 === index % 2);
    return request ? [[dialect.name, operation, method, request, tried] as const] : [];
  }),
);

it.each(calls)(
  'no text makes a request slow in %s: %s',
  { timeout: paced(120_000) },
  async (dialect, _, method, request, tried) => {
    const params = method.request.encode({ request: request as never }, { losses: new Set() });
    await tryAll(`/as/${dialect}`, { jsonrpc: '2.0', id: 'i', method: method.name, params }, {}, tried);
  },
);

describe.each(['demo', 'graph'])('what the agent %s knows', (agent) => {
  const ask = (method: string, params: object): Promise<void> =>
    tryAll(`/${agent}`, { jsonrpc: '2.0', id: 1, method, params }, { 'a2a-version': '1.0' });

  it(`what the agent ${agent} knows is looked for`, { timeout: paced(120_000) }, async () => {
    await ask('knowledge/query', {
      query: 'query($v: String, $t: String, $s: ID) { statements(value: $v, type: $t, subject: $s) { totalCount } }',
      queryLanguage: 'graphql',
      variables: { v: '1', t: 'xsd:dateTime', s: 'https://example.org/a' },
    });
  });

  it.each(['dateTime', 'decimal'])(
    `what the agent ${agent} knows is changed: xsd:%s`,
    { timeout: paced(120_000) },
    async (type) => {
      await ask('knowledge/update', {
        mutations: [
          {
            op: 'replace',
            statement: {
              subject: { id: 'https://example.org/a', type: 'https://example.org/T' },
              predicate: { id: 'https://example.org/p' },
              object: { value: '1', type: `xsd:${type}` },
              graph: 'https://example.org/g',
            },
          },
        ],
        justification: 'because',
      });
    },
  );
});

it.each([
  ...['authorization', 'x-api-key', 'a2a-version', 'a2a-extensions', 'accept', 'content-type', 'host', 'origin'],
  ...['traceparent', 'tracestate', 'idempotency-key', 'last-event-id', 'x-request-id', 'if-none-match', 'a2a-hops'],
  ...[
    'connect-timeout-ms',
    'grpc-timeout',
    'cookie',
    'accept-encoding',
    'x-forwarded-for',
    'access-control-request-headers',
  ],
])('the header %s', { timeout: paced(120_000) }, async (name) => {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'GetTask', params: { id: 'none' } });
  for (const character of characters) {
    for (const value of [`Bearer ${tail(character)}!`, `application/${tail(character)}x!`]) {
      const headers = { 'content-type': 'application/json', 'a2a-version': '1.0', [name]: value };
      const { status } = await http.send({ path: '/', body, headers });
      expect(status).toBeLessThan(500);
    }
  }
});

it.each([
  '/',
  '/tasks/',
  '/demo/',
  '/as/',
  '/files/',
  '/tasks?pageToken=',
  '/.well-known/',
  '/demo/t/',
  '/oauth/token?a=',
])('a path that begins with %s', { timeout: paced(120_000) }, async (path) => {
  for (const character of characters.filter((one) => one !== ' ')) {
    for (const method of ['GET', 'POST']) {
      const { status } = await http.send({
        method,
        path: `${path}${tail(character)}!`,
        headers: { 'a2a-version': '1.0' },
      });
      expect(status).toBeLessThan(500);
    }
  }
});

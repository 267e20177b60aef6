import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hashOf, shownHash } from '../../src/auth/hash.ts';
import { callContext } from '../../src/client/caller.ts';
import { addressOf } from '../../src/client/choose.ts';
import { bindings, choices, discover, type Task } from '../../src/client/index.ts';
import { operations as ofTasks } from '../../src/core/model/a2a.ts';
import { type Invoke, isStream, ownDialect } from '../../src/core/model/call.ts';
import { holdsScope } from '../../src/core/model/principal.ts';
import type { WireProtocol } from '../../src/dialects/kernel/wire.ts';
import { extensions } from '../../src/dialects/registry.ts';
import type { Gateway } from '../../src/gateway/compose/gateway.ts';
import { operations as ofAdmin } from '../../src/gen/admin-v1/operations.ts';
import { operations as ofKnowledge } from '../../src/gen/knowledge-v1/operations.ts';
import type { Operation } from '../../src/gen/operations.ts';
import type { OperationName } from '../../src/gen/services.ts';
import type { ClientTls } from '../../src/net/client-tls.ts';
import { createHttpClient, type HttpClient } from '../../src/net/http-client.ts';
import { type Certified, createAuthority } from '../support/certificates.ts';
import { type DialectBinding, dialectBindings, kindOf } from '../support/conversations.ts';
import { newFolder } from '../support/folders.ts';
import { openGateway } from '../support/gateway.ts';
import { type IdentityProvider, startIdentityProvider } from '../support/identity-provider.ts';
import { paced } from '../support/pace.ts';

/**
 * Permissions: every credential against every operation, over every binding of every dialect. Operations come from
 * the table of the protos, dialects from the registry and bindings from the client's list, so that new ones join.
 */

const tls = (name: string): string => fileURLToPath(new URL(`../support/tls/${name}`, import.meta.url));
const ca = readFileSync(tls('ca.pem'));
const folder = newFolder();
const authority = createAuthority('Clients');
const certified = (name: string): Certified => authority.issue({ subject: [['CN', name]] });

const hash = (key: string): string => `"${shownHash(hashOf(key))}"`;
const settings = ({ issuer, jwksUrl }: IdentityProvider): string => `
listen: { port: 0, tls: { cert: ${tls('server.pem')}, key: ${tls('server.key')}, clientCa: ${join(folder, 'ca.pem')} } }
store: "memory:"
auth:
  anonymous: false
  failuresPerMinute: unlimited
  apiKeys:
    - { name: alice, hash: ${hash('key of alice')} }
    - { name: bob, hash: ${hash('key of bob')} }
    - { name: reader, hash: ${hash('key of a reader')}, scopes: ["tasks:read"] }
    - { name: scholar, hash: ${hash('key of a scholar')}, scopes: [knowledge, metrics] }
    - { name: visitor, hash: ${hash('key of a visitor')}, scopes: ["knowledge:read"] }
    - { name: operator, hash: ${hash('key of an operator')}, scopes: [admin] }
    - { name: dashboard, hash: ${hash('key of a dashboard')}, scopes: ["admin:read"] }
    - { name: nobody, hash: ${hash('key of nobody')}, scopes: [] }
    - { name: stranger, hash: ${hash('key of a stranger')}, agents: [other] }
  jwt: { issuer: "${issuer}", audience: a2a, jwksUrl: "${jwksUrl}" }
  tokenEndpoint:
    clients: [{ id: vault, hash: ${hash('secret of vault')}, scopes: [tasks] }]
  mtls:
    required: false
    clients:
      - { name: carol, commonName: carol }
      - { name: reading, commonName: reading, scopes: ["tasks:read"] }
agents:
  demo: { kind: reference, knowledge: true }
  other: { kind: reference }
defaultAgent: demo
`;

let provider: IdentityProvider;
let gateway: Gateway;
let origin: string;
/** Connections without a certificate, and with one, by whose it is. */
const clients = new Map<string, { readonly http: HttpClient; readonly certificate?: Certified }>();
const opened: { close(): void | Promise<void> }[] = [];

beforeAll(async () => {
  writeFileSync(join(folder, 'ca.pem'), authority.cert);
  provider = await startIdentityProvider();
  const opened = await openGateway(settings(provider), { file: join(folder, 'gateway.yaml') });
  ({ gateway } = opened);
  const { port } = opened;
  origin = `https://localhost:${port}`;
  clients.set('', { http: createHttpClient({ tls: { ca } }) });
  for (const name of ['carol', 'reading', 'eve']) {
    const certificate = certified(name);
    clients.set(name, { http: createHttpClient({ tls: { ca, ...certificate } }), certificate });
  }
});
afterAll(async () => {
  for (const each of opened) await each.close();
  for (const { http } of clients.values()) http.close();
  await gateway.close({ drainMs: 0 });
});

/** Credentials that a caller presents. */
interface Shown {
  readonly headers?: () => Record<string, string> | Promise<Record<string, string>>;
  /** Name of the certificate of the connection. */
  readonly certificate?: string;
}

const key = (value: string): Shown => ({ headers: () => ({ 'x-api-key': value }) });
const bearer = (token: () => string | Promise<string>): Shown => ({
  headers: async () => ({ authorization: `Bearer ${await token()}` }),
});
const minute = 60;
const now = (): number => Math.floor(Date.now() / 1_000);

async function granted(scope: string): Promise<string> {
  const { http } = clients.get('') ?? {};
  const fields = { grant_type: 'client_credentials', client_id: 'vault', client_secret: 'secret of vault', scope };
  const answer = await http?.request({
    method: 'POST',
    url: new URL(`${origin}/oauth/token`),
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams(fields).toString(),
    signal: AbortSignal.timeout(paced(20_000)),
    timeout: paced(20_000),
  });
  const { access_token } = JSON.parse(String(await answer?.read(10_000))) as { access_token: string };
  return access_token;
}

/** The outcome of a call: it is refused for its credentials or for its permissions, or it is served. */
type Fate = 'unauthenticated' | 'permissionDenied' | 'served';
/** Outcome of every call that needs no explicit scope, or the scopes that the caller has. */
type Expectation = Fate | readonly string[];

const credentials: Readonly<Record<string, readonly [shown: Shown, expected: Expectation]>> = {
  'no credentials': [{}, 'unauthenticated'],
  'a wrong key': [key('key of mallory'), 'unauthenticated'],
  'an empty key': [key(''), 'unauthenticated'],
  'two keys in one': [key('key of alice, key of alice'), 'unauthenticated'],
  'a key': [key('key of bob'), 'served'],
  'a key for other scopes': [key('key of a scholar'), ['knowledge', 'metrics']],
  'a key without any scope': [key('key of nobody'), 'permissionDenied'],
  'a key for reading': [key('key of a reader'), ['tasks:read']],
  'a key for looking up': [key('key of a visitor'), ['knowledge:read']],
  'a key of an operator': [key('key of an operator'), ['admin']],
  'a key of an operator for reading': [key('key of a dashboard'), ['admin:read']],
  'a key for another agent': [key('key of a stranger'), 'permissionDenied'],
  'a wrong key beside a good token': [
    { headers: () => ({ 'x-api-key': 'x', authorization: `Bearer ${provider.token('dave')}` }) },
    'unauthenticated',
  ],
  'a token': [bearer(() => provider.token('dave')), 'served'],
  'a token for reading': [bearer(() => provider.token('dave', { scope: 'openid tasks:read' })), ['tasks:read']],
  'a token for something else': [bearer(() => provider.token('dave', { scope: 'openid' })), 'permissionDenied'],
  'an expired token': [bearer(() => provider.token('dave', { exp: now() - minute })), 'unauthenticated'],
  'a token of tomorrow': [bearer(() => provider.token('dave', { nbf: now() + minute })), 'unauthenticated'],
  'a token for another audience': [bearer(() => provider.token('dave', { aud: 'b2b' })), 'unauthenticated'],
  'a token of another issuer': [
    bearer(() => provider.token('dave', { iss: 'https://evil.example' })),
    'unauthenticated',
  ],
  'a token without a subject': [bearer(() => provider.token('')), 'unauthenticated'],
  'a token that is none': [bearer(() => 'x.y.z'), 'unauthenticated'],
  'an empty token': [{ headers: () => ({ authorization: 'Bearer' }) }, 'unauthenticated'],
  'an unsupported scheme': [{ headers: () => ({ authorization: 'Basic YWxpY2U6eA==' }) }, 'unauthenticated'],
  'a token of the gateway': [bearer(() => granted('tasks')), ['tasks']],
  'a token of the gateway for reading': [bearer(() => granted('tasks:read')), ['tasks:read']],
  'a certificate': [{ certificate: 'carol' }, 'served'],
  'a certificate for reading': [{ certificate: 'reading' }, ['tasks:read']],
  'a certificate of an unknown subject': [{ certificate: 'eve' }, 'unauthenticated'],
  'a wrong key over a good certificate': [{ ...key('x'), certificate: 'carol' }, 'unauthenticated'],
};

/** Requests, as far as the paths of their HTTP rules do not say what they need. */
const message = (taskId?: string) => ({
  message: { messageId: crypto.randomUUID(), role: 'ROLE_USER', parts: [{ text: 'hi' }], ...(taskId && { taskId }) },
});
const statement = { subject: { id: 'urn:s' }, predicate: { id: 'urn:p' }, object: { value: 'o' } };
const requests: Partial<Record<OperationName, (taskId?: string) => object>> = {
  SendMessage: message,
  SendStreamingMessage: message,
  CreateTaskPushNotificationConfig: () => ({ id: 'hook', url: 'http://127.0.0.1:9/hook' }),
  Query: () => ({ query: '{ entity(id: "urn:x") { id } }' }),
  Update: () => ({ mutations: [{ op: 'add', statement }] }),
  Subscribe: () => ({ subscriptionQuery: 'subscription { statementChanged { op } }' }),
};

/** Every operation of every service, with the scope that its service is for. */
const services: readonly { readonly scope: string; readonly operations: readonly Operation[] }[] = [
  { scope: 'tasks', operations: ofTasks },
  { scope: 'knowledge', operations: ofKnowledge },
  { scope: 'admin', operations: ofAdmin },
];
const rowOf = (name: OperationName): Operation & { readonly needs: string } => {
  for (const { scope, operations } of services) {
    const row = operations.find((one) => one.name === name);
    if (row) return { ...row, needs: row.reads ? `${scope}:read` : scope };
  }
  throw new TypeError(`no operation ${name}`);
};

const camel = (name: string): string => name.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase());

/** A request of an operation; `task` is the id of the task that it names, where it names one. */
function requestOf(name: OperationName, task?: string): object {
  const { path = '' } = rowOf(name).http[0] ?? {};
  const variables = [...path.matchAll(/([^/{]*)\/\{(\w+)/g)].map(([, before, field = '']) => [
    camel(field),
    before === 'tasks' ? (task ?? unknown) : 'hook',
  ]);
  return { ...Object.fromEntries(variables), ...requests[name]?.(task) };
}
const unknown = '01a00000-0000-7000-8000-000000000000';

/** Whether what an operation does depends on a task of the caller that its path names. */
const namesTask = (name: OperationName): boolean =>
  rowOf(name).http.some(({ path }) => path.includes('/tasks/{') && !path.startsWith('/admin/'));

/** Whether it says something, perhaps in a task. */
const speaks = (name: OperationName): boolean => 'message' in requestOf(name);

/** The URL of a face, as its card says. */
async function urlOf({ dialect, as, via }: DialectBinding): Promise<string> {
  const { http } = clients.get('') ?? {};
  if (!http) throw new TypeError('nothing is open');
  const found = await discover(`${origin}/as/${as}`, { as, http });
  const choice = choices(found, [dialect]).find((one) => one.binding.name === via);
  return choice ? addressOf(choice, found.url).href : origin;
}

/** Opens a face for a caller. */
async function open(dialect: WireProtocol, via: DialectBinding['via'], url: string, shown: Shown): Promise<Invoke> {
  const { headers = () => ({}), certificate = '' } = shown;
  const { http, certificate: own } = clients.get(certificate) ?? {};
  const binding = bindings.find(({ name }) => name === via);
  if (!http || !binding) throw new TypeError(`no binding ${via}`);
  // For bindings without the pool, and without a certificate too.
  const tls = { ca, ...(own && { cert: Buffer.from(own.cert), key: Buffer.from(own.key) }) } as ClientTls;
  const transport = await binding.open({ url, dialect, http, headers, tls, timeout: paced(20_000), strict: false });
  opened.push(transport);
  return transport.invoke;
}

/** Calls an operation: the kind of the error, or `no error`. */
const fateOf = (invoke: Invoke, operation: OperationName, request: object, quiet?: number): Promise<string> =>
  kindOf(call(invoke, operation, request, quiet));

/**
 * Of a stream, the first event says how it goes.
 *
 * @param quiet milliseconds after which a stream counts as served: some have nothing to tell before something happens
 */
async function call(invoke: Invoke, operation: OperationName, request: object, quiet = 15_000): Promise<unknown> {
  const reply = await invoke({ operation, request, context: callContext('demo', '', {}) } as never);
  if (!isStream(reply)) return reply.value;
  const events = reply.events[Symbol.asyncIterator]();
  const step = await Promise.race([events.next(), sleep(quiet, undefined, { ref: false })]);
  await events.return?.();
  return step?.value;
}

/** An empty list, which reveals nothing: PHP's clients list the push configurations of all their tasks. */
const emptyList = JSON.stringify({ configs: [] });

/** The outcome of a call about another caller's task, which must not reveal that the task exists. */
async function foreignFateOf(invoke: Invoke, name: OperationName, task?: string): Promise<string> {
  let listed = '';
  const asked = call(invoke, name, requestOf(name, task)).then((value) => {
    listed = JSON.stringify(value);
  });
  const fate = await kindOf(asked);
  return fate === 'taskNotFound' || listed === emptyList ? 'served' : fate;
}

/** A wire protocol over a binding, and its operations. */
interface Row {
  readonly title: string;
  readonly spoken: WireProtocol;
  readonly face: DialectBinding;
  readonly names: readonly OperationName[];
}

/** Extensions are served beside every dialect, at the same places: here beside the gateway's own. */
const rows: readonly Row[] = [
  ...dialectBindings.map((face) => ({
    title: `${face.as} over ${face.via}`,
    spoken: face.dialect,
    face,
    names: [...face.methods.keys()],
  })),
  ...extensions.flatMap((spoken) =>
    dialectBindings
      .filter(({ as }) => as === ownDialect)
      .map((face) => ({
        title: `${spoken.name} over ${face.via}`,
        spoken,
        face,
        names: [...(spoken.jsonrpc?.calls.keys() ?? [])],
      })),
  ),
];

/**
 * Credentials are judged before a call is decoded, so all of them are shown over each binding of the gateway's own dialect, one
 * of each kind over the extensions, and over the other dialects none, and those with a scope.
 */
const oneOfEachKind: ReadonlySet<string> = new Set([
  'no credentials',
  'a wrong key',
  'a key for reading',
  'a key of an operator for reading',
  'a token',
  'a certificate for reading',
]);
const ofDialects: ReadonlySet<string> = new Set(['no credentials', 'a key for reading']);
const shownOver = (face: DialectBinding, spoken: WireProtocol): [string, (typeof credentials)[string]][] =>
  Object.entries(credentials).filter(
    ([name]) =>
      (face.as === ownDialect && spoken === face.dialect) ||
      (spoken === face.dialect ? ofDialects : oneOfEachKind).has(name),
  );

describe.each(rows)('$title', ({ title, face, spoken, names }) => {
  let url: string;
  beforeAll(async () => {
    url = await urlOf(face);
  });
  const openAs = (shown: Shown): Promise<Invoke> => open(spoken, face.via, url, shown);

  it.each(shownOver(face, spoken))(
    `credentials decide what their caller may call, ${title}: %s`,
    async (_, [shown, expected]) => {
      const invoke = await openAs(shown);
      const fit = (name: OperationName): Fate => {
        const { needs } = rowOf(name);
        const isExplicit = holdsScope(new Set(['admin']), needs);
        if (expected === 'served' && isExplicit) return 'permissionDenied';
        if (typeof expected === 'string') return expected;
        return holdsScope(new Set(expected), needs) ? 'served' : 'permissionDenied';
      };
      const fates = await Promise.all(
        names.map(async (name) => {
          if (namesTask(name)) return [name, await foreignFateOf(invoke, name)];
          // A refusal is waited for, however long it takes.
          const fate = await fateOf(invoke, name, requestOf(name), fit(name) === 'served' ? 300 : undefined);
          return [name, fate === 'unauthenticated' || fate === 'permissionDenied' ? fate : 'served'];
        }),
      );
      expect(fates).toEqual(names.map((name) => [name, fit(name)]));
    },
  );

  it.runIf(names.some(namesTask))("another caller's task is reached by its owner only", async () => {
    const alice = await openAs(key('key of alice'));
    const others = [key('key of bob'), { certificate: 'carol' }, bearer(() => provider.token('dave'))];
    const strangers = await Promise.all(others.map(openAs));
    const create = 'CreateTaskPushNotificationConfig';
    for (const name of names.filter(namesTask)) {
      const id = await openTask(alice);
      if (face.methods.has(create)) await call(alice, create, requestOf(create, id));
      for (const invoke of strangers) {
        expect([name, await foreignFateOf(invoke, name, id)]).toEqual([name, 'served']);
      }
      expect([name, await fateOf(alice, name, requestOf(name, id))]).toEqual([name, 'no error']);
    }
  });

  it.runIf(names.some(speaks))("a caller cannot continue another caller's task", async () => {
    const [alice, bob] = await Promise.all([openAs(key('key of alice')), openAs(key('key of bob'))]);
    for (const name of names.filter(speaks)) {
      const id = await openTask(alice);
      const before = await call(alice, 'GetTask', { id });
      // If callers choose the ids of tasks, it begins one of its own; otherwise the call fails with `taskNotFound`.
      await fateOf(bob, name, requestOf(name, id));
      expect([name, await call(alice, 'GetTask', { id })]).toEqual([name, before]);
    }
  });
});

/** A task that waits for its client. */
async function openTask(invoke: Invoke): Promise<string> {
  const request = { message: { ...message().message, parts: [{ text: 'ask' }] } };
  const { task } = (await call(invoke, 'SendMessage', request)) as { task?: Task };
  return task?.id ?? '';
}

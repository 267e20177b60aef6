import { fromJson, type JsonObject, type JsonValue, toBinary } from '@bufbuild/protobuf';
import { beforeAll, describe, expect, test } from 'vitest';
import { bindings, openAdmin } from '../../../src/client/index.ts';
import { A2AError } from '../../../src/core/model/errors.ts';
import { type OperationName, type OperationTypes, operations } from '../../../src/gen/admin-v1/operations.ts';
import type { Operation } from '../../../src/gen/operations.ts';
import { callsOf } from '../../support/admin.ts';
import { startCli } from '../../support/cli.ts';
import { registry } from '../../support/descriptors.ts';
import { adminHeaders, type Opened, openGateway } from '../../support/gateway.ts';
import { inProcess } from '../../support/in-process.ts';
import { decoded, RawGrpc } from '../../support/raw.ts';

/** Every operation gives the same answer over every binding, to our own clients, to that of grpc-js, and to the command. */

type Row = Operation & { readonly name: OperationName };
const rows: readonly Row[] = operations;

/** Streams that do not end, and how many of their events are compared. */
const endless: ReadonlyMap<string, number> = new Map([
  ...([
    ['WatchTasks', 2],
    ['WatchCalls', 2],
    ['WatchStatus', 1],
  ] as const),
]);

let gateway: Opened;
let calls: ReturnType<typeof callsOf>;
let grpc: RawGrpc;
/** A task that has ended, and one that waits. */
let ended: string;

beforeAll(async () => {
  gateway = await openGateway(`
agents:
  demo: { kind: reference, knowledge: { minCertainty: 0.5 } }
  other: { kind: reference }
defaultAgent: demo
registration: { allow: true, approve: never }
`);
  calls = callsOf(gateway.url);
  grpc = new RawGrpc(gateway.target);
  ({ id: ended } = await calls.send('stream 3 0', { immediately: false }));
  await calls.send('ask');
});

/** A task in a state. */
async function taskIn(text: string, state: string): Promise<string> {
  const { id } = await calls.send(text);
  for (;;) {
    const { tasks = [] } = await calls.get<{ tasks?: { key: string; state: string }[] }>(`/admin/v1/tasks?id=${id}`);
    if (tasks[0]?.state === state) return id;
  }
}

let recording = '';

/** One that each way stops again. */
async function stoppedRecording(): Promise<string> {
  if (recording !== '') return recording;
  const begun = await calls.post<{ recording: { id: string } }>('/admin/v1/recordings', { agent: 'other' });
  recording = begun.recording.id;
  await calls.post('/admin/v1/recordings', { stop: recording });
  return recording;
}

/** Registers an agent: another one of this gateway. */
const register = async (name: string) => {
  const url = `${gateway.url}/other`;
  return calls.post<{ name: string; revisions: { id: string }[] }>('/admin/v1/registrations', {
    name,
    url,
    leaseSeconds: 600,
  });
};

/** A request of each operation. */
const requests: { readonly [K in OperationName]: () => Promise<OperationTypes[K]['request']> } = {
  ListAgents: async () => ({}),
  GetAgent: async () => ({ name: 'other' }),
  RetryTasks: async () => ({ keys: ['0197f000-0000-7000-8000-000000000000'] }),
  AcknowledgeReplicas: async () => ({ ids: ['gone/1'] }),
  SetAgentMode: async () => ({ name: 'other', mode: 'AGENT_MODE_DRAINING' }),
  RegisterAgent: async () => ({ name: 'registered', url: `${gateway.url}/other`, title: 'A title', skills: ['echo'] }),
  RegisterCatalog: async () => ({ catalog: gateway.url, leaseSeconds: 600 }),
  ListRegistrations: async () => ({ agent: 'registered' }),
  RenewAgent: async () => ({ name: (await register('renewed')).name }),
  ApproveAgent: async () => {
    const { name, revisions } = await register('approved');
    return { name, revision: revisions[0]?.id ?? '' };
  },
  RemoveAgent: async () => ({ name: (await register('removed')).name }),
  StopCaller: async () => ({ principal: 'key:mallory', reason: 'stolen key' }),
  ResumeCaller: async () => {
    await calls.post('/admin/v1/callers:stop', { principal: 'key:eve', reason: 'stolen key' });
    return { principal: 'key:eve' };
  },
  EraseCaller: async () => ({ principal: 'key:nobody' }),
  StopAgent: async () => ({ name: 'other', reason: 'spends too much' }),
  ResumeAgent: async () => {
    await calls.post('/admin/v1/agents/other:stop', { reason: 'spends too much' });
    return { name: 'other' };
  },
  StopRoot: async () => ({ key: ended, reason: 'runs in circles' }),
  ResumeRoot: async () => {
    await calls.post(`/admin/v1/tasks/${ended}:stopRoot`, { reason: 'runs in circles' });
    return { key: ended };
  },
  ListStops: async () => {
    await calls.post('/admin/v1/callers:stop', { principal: 'key:mallory', reason: 'stolen key' });
    return {};
  },
  FindTasks: async () => ({ agent: 'demo', states: ['TASK_STATE_COMPLETED', 'TASK_STATE_FAILED'], id: ended }),
  GroupTasks: async () => ({
    agent: 'demo',
    id: ended,
    text: ended.slice(0, 20),
    changedAfter: '2020-01-01T00:00:00Z',
    changedBefore: '2100-01-01T00:00:00Z',
  }),
  WatchTasks: async () => ({ agent: 'demo', changedAfter: '2020-01-01T00:00:00Z' }),
  InspectTask: async () => ({ key: ended }),
  ListTaskEvents: async () => ({ key: ended, after: 1, pageSize: 2 }),
  FollowTask: async () => ({ key: ended, after: 1 }),
  StopTask: async () => ({ key: await taskIn('wait', 'TASK_STATE_WORKING') }),
  AnswerTask: async () => ({ key: await taskIn('ask', 'TASK_STATE_INPUT_REQUIRED'), parts: [{ text: 'Ada' }] }),
  ListQuestions: async () => ({ agent: 'nobody' }),
  AnswerQuestion: async () => ({ key: await taskIn('ask', 'TASK_STATE_INPUT_REQUIRED'), parts: [{ text: 'Ada' }] }),
  ListDeliveries: async () => ({ taskId: ended }),
  RetryDeliveries: async () => ({ taskId: ended }),
  ListCalls: async () => ({ taskId: ended, operation: 'SendMessage' }),
  WatchCalls: async () => ({ agent: 'demo', operation: 'SendMessage', after: '2020-01-01T00:00:00Z' }),
  GetMetrics: async () => ({
    names: ['a2a_gateway_store_up'],
    after: '2020-01-01T00:00:00Z',
    before: '2020-01-01T01:00:00Z',
  }),
  Record: async () => ({ stop: await stoppedRecording() }),
  ListRecords: async () => ({ recording: 'none' }),
  ListCallers: async () => ({}),
  ListReplicas: async () => ({}),
  WatchStatus: async () => ({}),
  ListLosses: async () => ({}),
  ListNumbers: async () => ({ agent: 'demo', by: ['NUMBER_GROUPING_PRINCIPAL' as const] }),
  ListGenerations: async () => ({ generation: 'a2a-1.0' }),
  ListRefusedUpdates: async () => ({ agent: 'demo' }),
  GetConfig: async () => ({}),
  ReloadConfig: async () => ({}),
  BackUpStore: async () => ({}),
};

/** Fields that change from call to call. */
const changing = new Set([
  ...['calls', 'failedCalls', 'latencyMedianMs', 'latencyP95Ms', 'liveTasks', 'heartbeatAt', 'modeChangedAt'],
  ...['heartbeatLagMs', 'eventLoopLagP99Ms', 'registeredAt', 'expiresAt', 'seenAt', 'decidedAt', 'stoppedAt'],
  ...['begunAt', 'endedAt'],
  ...['lastUsedAt', 'lastOperation', 'lastBinding', 'lastDialect', 'lastAgent', 'lastAt', 'count', 'lastHour'],
  ...['newWork'],
]);
/** Fields that differ from task to task, where each call has a task of its own. */
const ofTask = new Set([
  'updatedAt',
  'stateChangedAt',
  'createdAt',
  'traceId',
  'bytes',
  'task',
  'replica',
  'lastPosition',
  'state',
  'contextId',
]);
const ofNewTask: ReadonlySet<string> = new Set(['StopTask', 'AnswerTask', 'AnswerQuestion']);

/** A normal form of JSON: without default values, times as numbers. */
function plain(value: unknown, isLeftOut: (name: string) => boolean): unknown {
  if (Array.isArray(value)) return value.map((item) => plain(item, isLeftOut));
  if (typeof value === 'string' && /^\d{4}-\d\d-\d\dT[\d:.]+Z$/.test(value)) return Date.parse(value);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value)
    .filter(([name]) => !isLeftOut(name))
    .map(([name, item]) => [name, plain(item, isLeftOut)] as const)
    .filter(([, item]) => !isEmpty(item));
  return Object.fromEntries(entries.sort(([a], [b]) => (a < b ? -1 : 1)));
}

const isEmpty = (value: unknown): boolean =>
  value === '' ||
  value === 0 ||
  value === false ||
  value === undefined ||
  value === null ||
  value === 'AGENT_MODE_UNSPECIFIED' ||
  (typeof value === 'object' && Object.keys(value).length === 0);

interface Outcome {
  readonly values?: readonly unknown[];
  readonly error?: string;
}

/** The result of a call, whatever the binding. @param key of the task, if it is a new one */
function outcomeOf(operation: string, { values = [], error }: Outcome, key: string | undefined): Outcome {
  if (error !== undefined) return { error };
  if (!ofNewTask.has(operation)) {
    const isLeftOut = (name: string): boolean => changing.has(name) || (operation === 'WatchStatus' && name === 'time');
    return { values: values.map((value) => plain(value, isLeftOut)) };
  }
  const text = JSON.stringify(values.map((value) => plain(value, (name) => ofTask.has(name))));
  return { values: JSON.parse(text.replaceAll(key ?? '', 'KEY')) };
}

/** A way to call an operation. */
type Way = (row: Row, request: JsonObject) => Promise<Outcome>;

async function take(events: AsyncIterable<unknown>, row: Row): Promise<unknown[]> {
  const values: unknown[] = [];
  for await (const event of events) {
    values.push(event);
    if (values.length === endless.get(row.name)) break;
  }
  return values;
}

const camel = (name: string): string => name.charAt(0).toLowerCase() + name.slice(1);

/** Our own client. */
const own =
  (via: (typeof bindings)[number]['name']): Way =>
  async (row, request) => {
    const client = await openAdmin(gateway.url, { via, headers: adminHeaders(gateway.url) });
    try {
      const method = client[camel(row.name) as 'listAgents'] as (body: unknown) => unknown;
      const answer = method(request);
      if (row.streaming) return { values: await take(answer as AsyncIterable<unknown>, row) };
      return { values: [await answer] };
    } catch (thrown) {
      return { error: A2AError.from(thrown).message };
    } finally {
      await client.close();
    }
  };

/** JSON-RPC and HTTP+JSON without a client. */
const rawJsonRpc: Way = async ({ name, streaming, ...row }, params) => {
  const headers = adminHeaders(gateway.url);
  const body = JSON.stringify({ jsonrpc: '2.0', id: 7, method: `admin/${camel(name)}`, params });
  if (streaming) {
    const events = calls.stream<{ result: unknown }>('/', { method: 'POST', body, headers });
    const taken = await take(events, { name, streaming, ...row });
    const answers = taken.map((one) => (one as { event: { result?: unknown; error?: { message: string } } }).event);
    const failed = answers.find(({ error }) => error);
    return failed?.error ? { error: failed.error.message } : { values: answers.map(({ result }) => result) };
  }
  const { result, error } = (await (await calls.request('/', { method: 'POST', body, headers })).json()) as {
    result?: unknown;
    error?: { message: string };
  };
  return error ? { error: error.message } : { values: [result] };
};

/** The client of @grpc/grpc-js. */
const grpcJs: Way = async (row, request) => {
  const input = registry.getMessage(row.request);
  if (!input) throw new Error(`no message ${row.request}`);
  const bytes = toBinary(input, fromJson(input, request, { registry }));
  const { status, message, messages } = await grpc.send(row.grpcPath, bytes, adminHeaders(gateway.url));
  if (status !== 'OK') return { error: message };
  return { values: messages.map((one) => decoded(row.response, one)) };
};

/** The command. */
const command: Way = async (row, request) => {
  const kebab = (name: string): string => name.replace(/(?!^)[A-Z]/g, (capital) => `-${capital}`).toLowerCase();
  const { name, principal, key, url, revision, mode, parts, ...options } = request as Record<string, JsonValue>;
  const words = Object.entries(options).flatMap(([field, value]) =>
    // Enums have words of their own.
    [value]
      .flat()
      .flatMap((one) => [`--${kebab(field)}`, String(one).replace('NUMBER_GROUPING_PRINCIPAL', 'principal')]),
  );
  const args = [
    ...[
      'admin',
      kebab(row.name),
      ...[name, principal, key, url, revision].filter((each) => each !== undefined).map(String),
      ...words,
    ],
    ...(mode === undefined ? [] : ['--mode', 'draining']),
    ...(parts === undefined ? [] : ['--parts', JSON.stringify(parts)]),
    ...[gateway.url, '--json', '--api-key', adminHeaders(gateway.url)['x-api-key'] ?? ''],
  ];
  const watched = endless.get(row.name);
  if (watched !== undefined) {
    const child = startCli(args);
    let text = '';
    for await (const chunk of child.stdout ?? []) {
      text += String(chunk);
      if (text.split('\n').length > watched) break;
    }
    child.kill();
    return { values: text.split('\n', watched).map((line) => JSON.parse(line)) };
  }
  const { code, stdout, stderr } = await inProcess(args);
  if (code !== 0) return { error: stderr.replace(/^error: /, '').trimEnd() };
  return {
    values: row.streaming
      ? stdout
          .trimEnd()
          .split('\n')
          .map((line) => JSON.parse(line))
      : [JSON.parse(stdout)],
  };
};

const ways: Readonly<Record<string, Way>> = {
  'JSON-RPC without a client': rawJsonRpc,
  ...Object.fromEntries(bindings.map(({ name, title }) => [`our client over ${title}`, own(name)])),
  'the command': command,
};

describe.each(rows.map((row) => [row.name, row] as const))('%s', (name, row) => {
  test(`${name} is the same over every binding`, async () => {
    const outcomes: [string, Outcome][] = [];
    const all: Readonly<Record<string, Way>> =
      // Its stream does not end, and this client reads whole ones.
      endless.has(name) ? ways : { ...ways, '@grpc/grpc-js': grpcJs };
    for (const [way, call] of Object.entries(all)) {
      const request = (await requests[name]()) as unknown as JsonObject;
      outcomes.push([way, outcomeOf(name, await call(row, request), request.key as string | undefined)]);
    }
    const [[, expected] = ['', {}]] = outcomes;
    expect(Object.fromEntries(outcomes)).toEqual(Object.fromEntries(outcomes.map(([way]) => [way, expected])));
  });
});

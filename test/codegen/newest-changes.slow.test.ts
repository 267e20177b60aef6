import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { fromBinary, fromJson, type JsonValue, toBinary, toJson } from '@bufbuild/protobuf';
import { Client, credentials, Metadata } from '@grpc/grpc-js';
import { beforeAll, describe, expect, test, vi } from 'vitest';
import { buildImage } from '../../codegen/image.ts';
import { changeLine } from '../../codegen/update/diff.ts';
import { copyProject } from '../../codegen/update/project.ts';
import { specUpdate, type UpdateReport } from '../../codegen/update/update.ts';
import { versionProto, versions } from '../../codegen/versions.ts';
import { printed, startCli } from '../support/cli.ts';
import { newFolder } from '../support/folders.ts';
import { paced } from '../support/pace.ts';
import { afterTest } from '../support/peer.ts';

/**
 * A drill: the newest version of A2A 1.x changes what it has in common with the published one. The command takes that in, the
 * program compiles but where it says so, and calls find the old behaviour in 1.0 and the new one in 1.1.
 */

// Compilers run here, on machines that may be busy.
vi.setConfig({ testTimeout: paced(240_000), hookTimeout: paced(600_000) });

const root = fileURLToPath(new URL('../..', import.meta.url));
const [newest] = versions;

const changes: readonly (readonly [from: string, to: string])[] = [
  ['post: "/tasks/{id=*}:cancel"', 'post: "/tasks/{id=*}:stop"'],
  ['post: "/{tenant}/tasks/{id=*}:cancel"', 'post: "/{tenant}/tasks/{id=*}:stop"'],
  [
    '  string artifact_id = 1 [(google.api.field_behavior) = REQUIRED];\n  string name = 2;',
    '  string artifact_id = 1 [(google.api.field_behavior) = REQUIRED];\n  string title = 2;',
  ],
  ['  string filename = 6;\n', '  reserved 6;\n'],
  ['    google.protobuf.Value data = 4;\n', ''],
  ['  oneof content {\n', '  reserved 4;\n  oneof content {\n    // A measured value.\n    double measure = 20;\n'],
  ['TASK_STATE_REJECTED', 'TASK_STATE_DECLINED'],
  ['  TASK_STATE_AUTH_REQUIRED = 8;\n', ''],
  ['rpc ListTasks(', 'rpc SearchTasks('],
  ['  string uri = 1;\n  string description = 2;', '  string uri = 1;\n  repeated string description = 2;'],
  [
    'message Artifact {\n',
    `enum Level { LEVEL_UNSPECIFIED = 0; LEVEL_HIGH = 1; }
message Note { string text = 1; }
message Artifact {
  string origin = 21 [(google.api.field_behavior) = REQUIRED];
  Level level = 22 [(google.api.field_behavior) = REQUIRED];
  Note note = 23 [(google.api.field_behavior) = REQUIRED];
`,
  ],
  [
    'message Task {\n',
    'message Atlas {\n  map<string, Part> parts = 1;\n  map<string, string> names = 2;\n}\n\nmessage Task {\n  Atlas atlas = 20;\n',
  ],
];

let project: string;
let report: UpdateReport;
let origin: string;

beforeAll(async () => {
  project = copyProject(root, join(newFolder(), 'project'));
  // The program alone is compiled.
  const { compilerOptions } = JSON.parse(readFileSync(join(root, 'tsconfig.json'), 'utf8'));
  const program = { compilerOptions, include: ['src'], exclude: ['src/extensions/console'] };
  writeFileSync(join(project, 'tsconfig.json'), JSON.stringify(program));
  const inFile = (name: string): string => readFileSync(join(root, 'proto', name, versionProto), 'utf8');
  const proto = changes.reduce(
    (all, [from, to]) => {
      if (!all.includes(from)) throw new Error(`the proto has no ${from}`);
      return all.replace(from, to);
    },
    withoutRpc(inFile(newest.name), 'ListTaskPushNotificationConfigs'),
  );
  const file = join(newFolder(), 'a2a.proto');
  writeFileSync(file, proto);
  report = await specUpdate({ root: project, target: newest.name, proto: file, breaking: true });
  const settings = [
    'listen: { host: localhost, port: 0 }',
    'store: "memory:"',
    `preview: [${newest.name}]`,
    'agents: { a: { kind: reference } }',
  ];
  writeFileSync(join(project, 'gateway.yaml'), `${settings.join('\n')}\n`);
  const main = join(project, 'src', 'cli', 'main.ts');
  const child = startCli(['serve', '--config', 'gateway.yaml'], { cwd: project, main, lasting: true });
  afterTest(() => child.kill('SIGKILL'));
  origin = /listening on (\S+)/.exec(await printed(child, /Ctrl-C/))?.[1] ?? '';
});

/** A proto without one of its rpcs. */
function withoutRpc(proto: string, name: string): string {
  const start = proto.indexOf(`  rpc ${name}(`);
  const end = proto.indexOf('\n  }\n', start) + '\n  }\n'.length;
  return proto.slice(0, start) + proto.slice(end);
}

interface Answer {
  readonly result?: Record<string, never> & { readonly task?: Task; readonly tasks?: readonly Task[] };
  readonly error?: { readonly code: number };
  readonly losses: readonly string[];
}

interface Task {
  readonly id: string;
  readonly status: { readonly state: string };
  readonly artifacts?: readonly Record<string, unknown>[];
}

async function call(version: string, method: string, params: object): Promise<Answer> {
  const answer = await fetch(origin, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', 'A2A-Version': version },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
  });
  const losses = answer.headers.get('a2a-gateway-loss')?.split(', ') ?? [];
  return { ...((await answer.json()) as object), losses } as Answer;
}

async function send(version: string, part: object): Promise<Task> {
  const message = { messageId: crypto.randomUUID(), role: 'ROLE_USER', parts: [part] };
  const { result, error } = await call(version, 'SendMessage', { message });
  return result?.task ?? expect.fail(JSON.stringify(error));
}

const get = async (version: string, id: string): Promise<{ task: Task; losses: readonly string[] }> => {
  const { result, losses } = await call(version, 'GetTask', { id });
  return { task: result as unknown as Task, losses };
};

const post = (version: string, path: string): Promise<Response> =>
  fetch(`${origin}${path}`, { method: 'POST', headers: { 'A2A-Version': version } });

test.each([
  'changed http rule CancelTask',
  'renamed field Artifact.name: title',
  'removed field Part.filename',
  'removed field Part.data',
  'added field Part.measure: double',
  'renamed enum value TaskState.TASK_STATE_REJECTED: TASK_STATE_DECLINED',
  'removed enum value TaskState.TASK_STATE_AUTH_REQUIRED',
  'removed rpc ListTaskPushNotificationConfigs',
  'renamed rpc ListTasks: SearchTasks',
  'retyped field AgentExtension.description: string to repeated string',
  'added message Atlas',
])('the command reports: %s', (line) => {
  const lines = report.changes.map((change) => changeLine(change).replace('removed http rule', 'changed http rule'));
  expect(lines).toContainEqual(expect.stringContaining(line));
});

test('the command compiles the program, but for the uses of the field whose type holds more now, which are listed', () => {
  const places = report.left.filter(({ why }) => why.startsWith('TS'));
  expect(places.map(({ file, name }) => `${file} ${name}`)).toEqual([
    expect.stringMatching(/^src\/extensions\/knowledge\/module\.ts /),
    expect.stringMatching(/^src\/extensions\/mcp\/client\/card\.ts /),
    expect.stringMatching(/^src\/gateway\/cards\/card-source\.ts /),
  ]);
});

test('the command says what the newest version loses', () => {
  const lost = report.losses
    .filter(({ dialect }) => dialect === newest.name)
    .map(({ type, path }) => `${type} ${path}`);
  expect(lost).toEqual(
    expect.arrayContaining(['task artifacts.parts.filename', 'task artifacts.parts.data', 'task status.state']),
  );
});

test('an HTTP rule is the former one in 1.0, and the new one in 1.1', async () => {
  const paths = ['cancel', 'stop'];
  const statuses = async (version: string): Promise<number[]> => {
    const { id } = await send('1.0', { text: 'ask' });
    const answers = await Promise.all(paths.map((verb) => post(version, `/tasks/${id}:${verb}`)));
    return answers.map(({ status }) => status);
  };
  expect((await statuses('1.0')).map((status) => status === 200)).toEqual([true, false]);
  expect((await statuses('1.1')).map((status) => status === 200)).toEqual([false, true]);
});

test('a field has its former name in 1.0, and its new one in 1.1', async () => {
  const { id, artifacts } = await send('1.0', { text: 'hi' });
  expect(artifacts?.[0]).toMatchObject({ name: 'echo' });
  const { task, losses } = await get('1.1', id);
  expect(task.artifacts?.[0]).toMatchObject({ title: 'echo' });
  expect(task.artifacts?.[0]).not.toHaveProperty('name');
  expect(losses).toEqual([]);
});

test('a field that is gone stays in 1.0, and is a loss in 1.1', async () => {
  const { id, artifacts } = await send('1.0', { text: 'hi', filename: 'f' });
  expect(artifacts?.[0]).toMatchObject({ parts: [{ text: 'hi', filename: 'f' }] });
  const { task, losses } = await get('1.1', id);
  expect(task.artifacts?.[0]).toMatchObject({ parts: [{ text: 'hi' }] });
  expect(JSON.stringify(task)).not.toContain('filename');
  expect(losses).toContain('artifacts.parts.filename');
});

test('a branch of a oneof that is new is there in 1.1, and is a loss in 1.0', async () => {
  const { id, artifacts } = await send('1.1', { measure: 1.5 });
  expect(artifacts?.[0]).toMatchObject({ parts: [{ measure: 1.5 }] });
  const { losses } = await get('1.0', id);
  expect(losses).toContain('artifacts.parts.measure');
});

test('a branch of a oneof that is gone stays in 1.0, and is a loss in 1.1', async () => {
  const { id, artifacts } = await send('1.0', { text: 'data' });
  expect(artifacts?.[0]).toMatchObject({ parts: [{ data: { answer: 42 } }] });
  expect((await get('1.1', id)).losses).toContain('artifacts.parts.data');
  expect(
    (await call('1.1', 'SendMessage', { message: { messageId: 'm', role: 'ROLE_USER', parts: [{ data: 1 }] } })).error,
  ).toMatchObject({ code: -32602 });
});

test('a value of an enum has its former name in 1.0, and its new one in 1.1', async () => {
  const { id, status } = await send('1.0', { text: 'reject' });
  expect(status.state).toBe('TASK_STATE_REJECTED');
  expect((await get('1.1', id)).task.status.state).toBe('TASK_STATE_DECLINED');
  const { result } = await call('1.1', 'SearchTasks', { status: 'TASK_STATE_DECLINED' });
  expect(result?.tasks?.map((task) => task.id)).toContain(id);
});

test('a value of an enum that is gone stays in 1.0, and is a loss in 1.1', async () => {
  const { id, status } = await send('1.0', { text: 'auth' });
  expect(status.state).toBe('TASK_STATE_AUTH_REQUIRED');
  const { task, losses } = await get('1.1', id);
  expect(task.status.state).toBe('TASK_STATE_UNSPECIFIED');
  expect(losses).toContain('status.state');
});

test('a field that 1.1 requires, and that an agent or a caller of 1.0 has not sent has the default of its type in 1.1, and is not there in 1.0', async () => {
  const { id, artifacts } = await send('1.0', { text: 'hi' });
  expect(artifacts?.[0]).not.toHaveProperty('origin');
  const { task, losses } = await get('1.1', id);
  expect(task.artifacts?.[0]).toMatchObject({ origin: '', level: 'LEVEL_UNSPECIFIED' });
  expect(losses).toEqual([]);
});

test('a field that 1.1 requires, and that an agent or a caller of 1.0 has not sent is left out where its type is a message, which the report names', async () => {
  const { id } = await send('1.0', { text: 'hi' });
  expect((await get('1.1', id)).task.artifacts?.[0]).not.toHaveProperty('note');
  const places = report.left.filter(({ name }) => name === 'requiredValues');
  expect(places).toEqual([
    {
      file: 'src/dialects/a2a-1.x/conversions.ts',
      name: 'requiredValues',
      why: expect.stringMatching(/^Artifact\.note is required in A2A 1\.1, .*: left out until a value is written$/),
    },
  ]);
});

describe.each([
  ['gRPC', overGrpc],
  ['Connect', overConnect],
])('over %s', (binding, getTask) => {
  test(`each version has its names, enum values and required fields over ${binding}`, async () => {
    const { id } = await send('1.0', { text: 'hi', filename: 'f' });
    const [older, newer] = [await getTask('1.0', id), await getTask('1.1', id)];
    expect(older.artifacts?.[0]).toMatchObject({ name: 'echo', parts: [{ text: 'hi', filename: 'f' }] });
    expect(newer.artifacts?.[0]).toMatchObject({ title: 'echo', parts: [{ text: 'hi' }] });
    expect(JSON.stringify(newer)).not.toContain('filename');
    const rejected = await send('1.0', { text: 'reject' });
    expect((await getTask('1.0', rejected.id)).status.state).toBe('TASK_STATE_REJECTED');
    expect((await getTask('1.1', rejected.id)).status.state).toBe('TASK_STATE_DECLINED');
  });
});

/** Calls GetTask with messages of a version's proto. */
async function overGrpc(version: string, id: string): Promise<Task> {
  const name = versions.find((one) => one.version === version)?.name ?? '';
  const { registry } = buildImage(join(project, 'proto'), name);
  const [request, response] = ['GetTaskRequest', 'Task'].map((type) => registry.getMessage(`lf.a2a.v1.${type}`));
  if (!request || !response) throw new Error('the proto lacks GetTask');
  const client = new Client(new URL(origin).host, credentials.createInsecure());
  afterTest(() => client.close());
  const metadata = new Metadata();
  metadata.set('a2a-version', version);
  const { promise, resolve, reject } = Promise.withResolvers<Task>();
  client.makeUnaryRequest(
    '/lf.a2a.v1.A2AService/GetTask',
    (value: JsonValue) => Buffer.from(toBinary(request, fromJson(request, value))),
    (bytes: Buffer) => toJson(response, fromBinary(response, bytes), { registry }) as unknown as Task,
    { id },
    metadata,
    (error, task) => (error || !task ? reject(error) : resolve(task)),
  );
  return await promise;
}

async function overConnect(version: string, id: string): Promise<Task> {
  const answer = await fetch(`${origin}/lf.a2a.v1.A2AService/GetTask`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', 'Connect-Protocol-Version': '1', 'A2A-Version': version },
    body: JSON.stringify({ id }),
  });
  return (await answer.json()) as Task;
}

test('an rpc has its former name in 1.0, and its new one in 1.1', async () => {
  const calls = [
    ['1.0', 'ListTasks'],
    ['1.1', 'SearchTasks'],
  ] as const;
  for (const [version, method] of calls) expect((await call(version, method, {})).result?.tasks).toBeInstanceOf(Array);
  expect((await call('1.1', 'ListTasks', {})).error).toBeDefined();
});

test('an rpc that is gone stays in 1.0', async () => {
  const { id } = await send('1.0', { text: 'hi' });
  expect((await call('1.0', 'ListTaskPushNotificationConfigs', { taskId: id })).error).toBeUndefined();
  expect((await call('1.1', 'ListTaskPushNotificationConfigs', { taskId: id })).error).toBeDefined();
});

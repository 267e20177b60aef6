import { cpSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import type { JsonValue } from '@bufbuild/protobuf';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { runCommand } from '../../codegen/update/command.ts';
import { compile } from '../../codegen/update/project.ts';
import type { UpdateReport } from '../../codegen/update/update.ts';
import { versionProto, versions } from '../../codegen/versions.ts';
import { changeSpec, copyInputs } from '../support/changed-proto.ts';
import { cli, printed, startCli } from '../support/cli.ts';
import { newFolder } from '../support/folders.ts';
import { paced } from '../support/pace.ts';
import { afterTest } from '../support/peer.ts';
import { type Binding, bindings, collected, ReflectedClient, received } from '../support/reflected-client.ts';

/**
 * A drill of the next version of the specification, in a copy of the project: the published proto changes in every way that
 * proto3 has, the command takes the change into the newest one, too, what it lists is written, the compiler agrees, the
 * gateway starts, and a client that knows nothing but what reflection tells calls what is new over every binding.
 */

// Compilers run here, on machines that may be busy.
vi.setConfig({ testTimeout: paced(60_000), hookTimeout: paced(240_000) });

const root = fileURLToPath(new URL('../..', import.meta.url));

/** The version that changes, and the newest one, which takes the change in by itself and is called. */
const older = versions.at(-1) ?? versions[0];
const newest = versions[0];

/** Beyond 2^53, so that a double would change it. */
const large = '9007199254740993';

/** The code that the report lists under "Left to write". */
const handlers = `import type { LoggedEvent } from '../model/call.ts';
import type { Handlers } from './handler.ts';

const logged = (event: unknown, seq: number): LoggedEvent => {
  return { seq, at: 0, generation: 0, event: event as LoggedEvent['event'], json: JSON.stringify(event) };
};

export const added: Pick<
  Handlers,
  'TryKinds' | 'GetKinds' | 'PauseTask' | 'RepeatKinds' | 'CollectKinds' | 'Talk'
> = {
  TryKinds: async ({ request }) => ({ value: request }),
  GetKinds: async ({ request }) => ({ value: request }),
  PauseTask: async ({ request: { id } }) => ({
    value: { id, status: { state: 'TASK_STATE_PAUSED' }, eventsSeen: '${large}' },
  }),
  RepeatKinds: async ({ request }) => ({
    events: (async function* () {
      for (let seq = 1; seq <= 3; seq += 1) yield logged(request, seq);
    })(),
  }),
  CollectKinds: async ({ request, requests = [] }) => {
    const numbers = [request.aInt64 ?? '0'];
    for await (const { aInt64 = '0' } of requests) numbers.push(aInt64);
    return { value: { rInt64: numbers, aInt64: String(numbers.reduce((sum, one) => sum + BigInt(one), 0n)) } };
  },
  Talk: async ({ request, requests = [] }) => ({
    events: (async function* () {
      let seq = 1;
      yield logged(request, seq);
      for await (const message of requests) yield logged(message, (seq += 1));
    })(),
  }),
};
`;

/** Completes a task whose new fields hold what they were sent. */
const agent = `export default {
  card: { name: 'a', description: 'a', version: '1', defaultInputModes: [], defaultOutputModes: [], skills: [],
    capabilities: { streaming: true } },
  async *execute({ message }) {
    yield { task: { status: { state: 'TASK_STATE_WORKING' }, eventsSeen: '${large}' } };
    yield { artifactUpdate: { artifact: { artifactId: 'a', parts: message.parts }, lastChunk: true } };
    yield { statusUpdate: { status: { state: 'TASK_STATE_COMPLETED' } } };
  },
};
`;

let project: string;
let report: UpdateReport;
let errors: Awaited<ReturnType<typeof compile>>;
let origin: string;
let client: ReflectedClient;

const edit = (file: string, from: string, to: string): void => {
  const path = join(project, file);
  const text = readFileSync(path, 'utf8');
  if (!text.includes(from)) throw new Error(`${file} has no ${from}`);
  writeFileSync(
    path,
    text.replace(from, () => to),
  );
};

async function start(name: string, settings: string): Promise<string> {
  const preview = newest.preview ? `preview: [${newest.name}]\n` : '';
  const yaml = `listen: { host: localhost, port: 0 }\nstore: "memory:"\n${preview}agents:\n${settings}\n`;
  writeFileSync(join(project, name), yaml);
  const main = join(project, 'src', 'cli', 'main.ts');
  const child = startCli(['serve', '--config', name], { cwd: project, main, lasting: true });
  afterTest(() => child.kill('SIGKILL'));
  return /listening on (\S+)/.exec(await printed(child, /Ctrl-C/))?.[1] ?? '';
}

beforeAll(async () => {
  project = newFolder();
  for (const path of ['src', 'proto', 'codegen/schemas', 'docs/dialects', 'package.json']) {
    cpSync(join(root, path), join(project, path), { recursive: true });
  }
  const { compilerOptions } = JSON.parse(readFileSync(join(root, 'tsconfig.json'), 'utf8'));
  writeFileSync(
    join(project, 'tsconfig.json'),
    JSON.stringify({ compilerOptions, include: ['src'], exclude: ['src/extensions/console'] }),
  );
  symlinkSync(join(root, 'node_modules'), join(project, 'node_modules'), 'dir');
  const inputs = copyInputs();
  changeSpec(inputs);
  let out = '';
  const [proto, schema] = [join(inputs.protoDir, older.name, versionProto), `${inputs.schemaDir}/${older.name}.json`];
  const args = ['--proto', proto, '--schema', schema, '--target', older.name, '--json'];
  const code = await runCommand(args, project, {
    out: (text) => {
      out += text;
    },
    err: (text) => {
      throw new Error(text);
    },
  });
  if (code !== 0) throw new Error(out);
  report = JSON.parse(out);
  writeFileSync(join(project, 'src/core/operations/added.ts'), handlers);
  edit('src/core/operations/service.ts', 'const handlers: Handlers = {', 'const handlers: Handlers = {\n  ...added,');
  edit(
    'src/core/operations/service.ts',
    'import { cancelTask }',
    "import { added } from './added.ts';\nimport { cancelTask }",
  );
  const states = (file: string, after: string, row: string): void =>
    edit(file, `${after} {\n`, `${after} {\n  TASK_STATE_PAUSED: '${row}',\n`);
  states('src/core/model/lifecycle.ts', "'terminal'>> =", 'interrupted');
  states('src/dialects/a2a-0.3/names.ts', 'Record<TaskState, string>> =', 'working');
  states('src/dialects/a2a-0.1/mapping.ts', 'Record<v1.TaskState, wire.TaskState>> =', 'working');
  states('src/dialects/agentvault-0.2/mapping.ts', 'Record<v1.TaskState, wire.TaskState>> =', 'WORKING');
  const binary = "if (state === 'TASK_STATE_CANCELED') return 'TASK_STATE_CANCELLED';";
  const paused = "if (state === 'TASK_STATE_PAUSED') return 'TASK_STATE_WORKING';";
  edit('src/dialects/a2a-0.3/protobuf/mapping.ts', binary, `${binary}\n${paused}`);
  errors = await compile(project);
  writeFileSync(join(project, 'agent.mjs'), agent);
  origin = await start('gateway.yaml', '  a: { kind: module, path: ./agent.mjs }');
  client = await ReflectedClient.open(origin, newest.version);
});

afterAll(() => {
  client?.close();
});

test.each([
  ['a message', 'added message Kinds'],
  ['an enum', 'added enum Mood'],
  ['a field of 64 bits', 'added field Task.eventsSeen: int64'],
  ['a query parameter of 64 bits', 'added field GetTaskRequest.seen: optional int64'],
  ['a field that is deprecated', 'changed field Task.contextId: deprecated is true'],
  ['an enum value', 'added enum value TaskState.TASK_STATE_PAUSED: 9'],
  ['a oneof that grows', 'added field Part.measure'],
  ['a unary rpc', 'added rpc PauseTask'],
  ['a server-streaming rpc', 'added rpc RepeatKinds: Kinds → stream of Kinds'],
  ['a client-streaming rpc', 'added rpc CollectKinds: stream of Kinds → Kinds'],
  ['a bidirectional rpc', 'added rpc Talk: stream of Kinds → stream of Kinds'],
  ['an HTTP rule', 'added http rule CancelTask: POST /tasks/{id=*}:stop'],
])('the command reports %s', (_, line) => {
  const lines = report.changes.map(({ change, kind, name, detail }) => `${change} ${kind} ${name}: ${detail ?? ''}`);
  expect(lines).toContainEqual(expect.stringContaining(line));
});

test('the command takes the change into the newest version, too', () => {
  expect(report.later).toEqual([{ version: newest.name, changes: report.changes }]);
});

test('the command names the handlers to write, and the rows of the new state', () => {
  const left = report.left.map(({ file, name, why }) => `${file} ${name}: ${why}`);
  expect(left).toContainEqual(expect.stringMatching(/^src\/core\/operations\/service\.ts handlers: .*RepeatKinds/));
  for (const place of [
    'core/model/lifecycle.ts lifecycle',
    'dialects/a2a-0.3/names.ts states',
    'dialects/a2a-0.3/protobuf/mapping.ts status',
    'dialects/a2a-0.1/mapping.ts states',
    'dialects/agentvault-0.2/mapping.ts states',
  ]) {
    expect(left).toContainEqual(expect.stringContaining(`src/${place}: TS`));
  }
});

test('the command says where rpcs whose client streams are served', () => {
  const notes = report.left.map(({ why }) => why).filter((why) => why.includes('takes a stream of messages'));
  expect(notes.map((note) => /(\w+) takes/.exec(note)?.[1]).sort()).toEqual(['CollectKinds', 'Talk']);
  expect(notes[0]).toContain('over gRPC and Connect');
});

test('the command leaves nothing else for the compiler', () => {
  expect(errors).toEqual([]);
});

test('reflection lists what is new', () => {
  const added = ['TryKinds', 'GetKinds', 'PauseTask', 'RepeatKinds', 'CollectKinds', 'Talk'];
  expect(client.rpcs).toEqual(expect.arrayContaining(added));
  const states = client.registry.getEnum('lf.a2a.v1.TaskState');
  expect(states?.values.map(({ name }) => name)).toContain('TASK_STATE_PAUSED');
});

const kinds: JsonValue = {
  aInt64: '-9223372036854775808',
  aUint64: '18446744073709551615',
  aDouble: 'NaN',
  aFloat: '-Infinity',
  aBytes: '+/8=',
  oMood: 'MOOD_GOOD',
  rInt64: ['1', `-${large}`],
  mInt64Inner: { [large]: { number: '5' } },
  mStringInt64: { a: large },
  older: 'x',
};

/** A new task with a measured part, and its id. */
async function newTask(binding: Binding): Promise<{ task: Record<string, JsonValue>; id: string }> {
  const message = { messageId: crypto.randomUUID(), role: 'ROLE_USER', parts: [{ measure: 'Infinity' }] };
  const [answer] = (await client.call(binding, 'SendMessage', { message })) as [{ task: Record<string, JsonValue> }];
  return { task: answer.task, id: String(answer.task.id) };
}

describe.each(bindings)('over %s', (binding) => {
  test(`a new unary rpc with every kind of field works over ${binding}`, async () => {
    expect(await client.call(binding, 'TryKinds', kinds)).toEqual([kinds]);
  });

  test(`a new unary rpc that answers with a new state and a new field works over ${binding}`, async () => {
    const paused = { id: 't', status: { state: 'TASK_STATE_PAUSED' }, eventsSeen: large };
    expect(await client.call(binding, 'PauseTask', { id: 't' })).toEqual([paused]);
  });

  test(`a new rpc whose path and query parameters have 64 bits works over ${binding}`, async () => {
    const request = {
      aInt64: `-${large}`,
      aUint64: '18446744073709551615',
      rInt64: ['1', large],
      inner: { number: large },
    };
    expect(await client.call(binding, 'GetKinds', request)).toEqual([request]);
  });

  test(`a new server-streaming rpc works over ${binding}`, async () => {
    expect(await client.call(binding, 'RepeatKinds', kinds)).toEqual([kinds, kinds, kinds]);
  });

  test(`new fields of a known task, of its request and of a oneof pass over ${binding}`, async () => {
    const { task, id } = await newTask(binding);
    expect(task).toMatchObject({ eventsSeen: large, artifacts: [{ parts: [{ measure: 'Infinity' }] }] });
    expect(await client.call(binding, 'GetTask', { id, seen: large })).toMatchObject([{ id, eventsSeen: large }]);
  });

  test(`an rpc whose HTTP rule has changed is served over ${binding}`, async () => {
    const { id } = await newTask(binding);
    await expect(client.call(binding, 'CancelTask', { id })).rejects.toThrow(/cancel|-32002|FAILED_PRECONDITION/);
  });
});

describe('rpcs whose client streams', () => {
  const numbers = ['1', large, '-2'];

  test('a new client-streaming rpc works over gRPC', async () => {
    const answers = await client.converse(
      'CollectKinds',
      numbers.map((aInt64) => ({ aInt64 })),
    );
    expect(answers).toEqual([{ rInt64: numbers, aInt64: '9007199254740992' }]);
  });

  test.each(['connect', 'connect+proto', 'grpc-web'] as const)(
    'client-streaming, over %s, and none in both directions over HTTP/1.1',
    async (binding) => {
      expect(await client.call(binding, 'CollectKinds', { aInt64: '1' })).toEqual([{ rInt64: ['1'], aInt64: '1' }]);
      await expect(client.call(binding, 'Talk', { aInt64: '1' })).rejects.toMatchObject({ status: 'HTTP 505' });
    },
  );

  test('a new bidirectional rpc works over gRPC, message by message', async () => {
    const call = client.stream('Talk');
    const answers = received(call);
    for (const aInt64 of numbers) {
      call.write({ aInt64 });
      expect(await answers.next()).toEqual({ done: false, value: { aInt64 } });
    }
    call.end();
    expect(await answers.next()).toMatchObject({ done: true });
  });

  test.each<[Binding, string]>([
    ['jsonrpc', 'Talk'],
    ['rest', 'Talk'],
    ['jsonrpc', 'CollectKinds'],
    ['rest', 'CollectKinds'],
  ])('rpcs whose client streams are UNIMPLEMENTED over %s: %s', async (binding, rpc) => {
    await expect(client.call(binding, rpc, { aInt64: '1' })).rejects.toMatchObject({ status: 'UNIMPLEMENTED' });
  });
});

test('integers beyond 2^53 pass through an upstream agent, over every binding between the gateways', async () => {
  const between = ['jsonrpc', 'rest', 'grpc'];
  const settings = between.map(
    (via) => `  over-${via}: { kind: upstream, url: "${origin}", dialect: ${newest.name}, transport: ${via} }\n`,
  );
  const relay = await ReflectedClient.open(await start('relay.yaml', settings.join('')), newest.version);
  try {
    for (const via of between) {
      const message = { messageId: 'm', role: 'ROLE_USER', parts: [{ measure: 1.5 }] };
      expect(await relay.call('grpc', 'SendMessage', { tenant: `over-${via}`, message }), via).toMatchObject([
        { task: { eventsSeen: large, artifacts: [{ parts: [{ measure: 1.5 }] }] } },
      ]);
    }
  } finally {
    relay.close();
  }
});

test('integers beyond 2^53 are printed by the command line, read as JSON and as protobuf', async () => {
  const { id } = await newTask('jsonrpc');
  const main = join(project, 'src', 'cli', 'main.ts');
  for (const via of ['jsonrpc', 'grpc']) {
    const { stdout, stderr } = await cli(['task', 'get', origin, id, '--json', '--via', via, '--as', newest.name], {
      main,
      cwd: project,
    });
    expect(JSON.parse(stdout || '{}'), stderr).toMatchObject({ id, eventsSeen: large });
  }
});

test('integers beyond 2^53 are taken and given by the client library, over every binding', async () => {
  const { connect } = await import(pathToFileURL(join(project, 'src/client/index.ts')).href);
  for (const via of ['jsonrpc', 'rest', 'grpc', 'connect']) {
    const library = await connect(origin, { via, as: newest.name });
    try {
      expect(await library.call('TryKinds', { aInt64: large, rInt64: [large] })).toEqual({
        aInt64: large,
        rInt64: [large],
      });
      const query = { aInt64: `-${large}`, aUint64: '18446744073709551615' };
      expect(await library.getKinds(query), via).toEqual(query);
      const events = await collected(library.stream('RepeatKinds', { aInt64: large }));
      expect(events).toEqual([{ aInt64: large }, { aInt64: large }, { aInt64: large }]);
    } finally {
      await library.close();
    }
  }
});

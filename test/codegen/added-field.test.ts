import type { ChildProcess } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { pages } from '../../codegen/dialect-pages.ts';
import type { Dialect } from '../../src/dialects/kernel/dialect.ts';
import type { Dialects } from '../../src/dialects/kernel/lookup.ts';
import { type ChangedProject, changedProject } from '../support/changed-proto.ts';
import { printed, startCli } from '../support/cli.ts';

/**
 * Fields that are added to the proto and the bundle of A2A 1.0 pass to those who know them, and are losses in every
 * dialect whose shapes are tables: in its list, on its page and in what its callers read, without another edit.
 */

// Compilers run here, on machines that may be busy.
vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

let project: ChangedProject;
let dialects: Dialects;
let gateway: ChildProcess;
let origin: string;

const agent = `export default {
  card: { name: 'a', description: 'a', version: '1', defaultInputModes: [], defaultOutputModes: [], skills: [],
    capabilities: { streaming: true } },
  async *execute() { yield { task: { status: { state: 'TASK_STATE_COMPLETED' }, priority: 7 } }; },
};\n`;

beforeAll(async () => {
  project = await changedProject((inputs) => {
    inputs.editProto('message Task {\n', 'message Task {\n  // How urgent it is.\n  int32 priority = 7;\n');
    inputs.editProto(
      'message SendMessageConfiguration {\n',
      'message SendMessageConfiguration {\n  string urgency = 5;\n',
    );
    inputs.editSchema(({ definitions }) => {
      const { Task: task, 'Send Message Configuration': configuration } = definitions as Record<
        string,
        { properties: Record<string, object> }
      >;
      Object.assign(task?.properties ?? {}, {
        priority: { anyOf: [{ type: 'integer', minimum: -(2 ** 31), maximum: 2 ** 31 - 1 }] },
      });
      Object.assign(configuration?.properties ?? {}, { urgency: { type: 'string' } });
    });
  });
  const load = (path: string) => import(pathToFileURL(join(project.dir, 'src', path)).href);
  const { createDialects } = await load('dialects/kernel/registry.ts');
  const { api } = await load('gen/a2a-v1/index.ts');
  dialects = createDialects(api);
  writeFileSync(join(project.dir, 'agent.mjs'), agent);
  const config =
    'listen: { host: localhost, port: 0 }\nstore: "memory:"\nagents:\n  a: { kind: module, path: ./agent.mjs }\n';
  writeFileSync(join(project.dir, 'gateway.yaml'), config);
  gateway = startCli(['serve', '--config', 'gateway.yaml'], {
    cwd: project.dir,
    main: join(project.dir, 'src', 'cli', 'main.ts'),
    lasting: true,
  });
  origin = /listening on (\S+)/.exec(await printed(gateway, /Ctrl-C/))?.[1] ?? '';
});

afterAll(() => {
  gateway?.kill('SIGKILL');
  project?.dispose();
});

const request = (path: string, body?: object): Promise<Response> =>
  fetch(origin + path, {
    method: body ? 'POST' : 'GET',
    headers: { 'Content-Type': 'application/json' },
    ...(body && { body: JSON.stringify(body) }),
  });

const task = { id: 't', contextId: 'c', status: { state: 'TASK_STATE_COMPLETED' }, priority: 7 };
const message = { messageId: 'm', role: 'ROLE_USER', parts: [{ text: 'hi' }] };
const send = { operation: 'SendMessage', request: { message, configuration: { urgency: 'high' } } };

/** The losses of one conversion. */
function lost({ types }: Dialect, type: string, value: object): string[] {
  const losses = new Set<string>();
  types[type]?.encode(value, { losses });
  return [...losses];
}

async function newTask(): Promise<string> {
  const answer = await request('/message:send', { message });
  const sent = (await answer.json()) as { task: { id: string } };
  expect(sent).toMatchObject({ task: { priority: 7 } });
  return sent.task.id;
}

test('A2A 1.0 has the fields', async () => {
  const v1 = dialects.byName.get('a2a-1.0') as Dialect;
  expect(lost(v1, 'task', task)).toEqual([]);
  expect(v1.types.task?.decode(task, { losses: new Set() })).toEqual(task);
  const answer = await request(`/tasks/${await newTask()}`);
  expect(answer.headers.get('a2a-gateway-loss')).toBeNull();
  expect(await answer.json()).toMatchObject({ priority: 7 });
});

describe.each([...pages.keys()])('%s', (name) => {
  test('lists them as losses', () => {
    const { losses } = dialects.byName.get(name) as Dialect;
    expect(losses.task).toContain('priority');
    expect(losses.event).toContain('task.priority');
    expect(losses.request).toContain('configuration.urgency');
  });

  test('loses them', () => {
    const dialect = dialects.byName.get(name) as Dialect;
    expect(lost(dialect, 'task', task)).toContain('priority');
    expect(lost(dialect, 'request', send)).toContain('configuration.urgency');
  });

  test('has them on its page', () => {
    const page = readFileSync(join(project.dir, 'docs', 'dialects', `${name}.md`), 'utf8');
    expect(page).toContain('| `priority` |  | **lost** |');
    expect(page).toContain('| `urgency` |  | **lost** |');
  });

  test('names them to callers', async () => {
    const params = { id: await newTask() };
    const answer = await request(`/as/${name}`, { jsonrpc: '2.0', id: 1, method: 'tasks/get', params });
    expect(await answer.json()).toMatchObject({ result: { id: params.id } });
    expect(answer.headers.get('a2a-gateway-loss')?.split(', ')).toContain('priority');
  });
});

test('0.3 over HTTP+JSON and gRPC, too', async () => {
  const { rest, grpc } = dialects.byName.get('a2a-0.3') as Dialect;
  expect(rest?.losses?.task).toContain('priority');
  expect(grpc?.losses?.request).toContain('configuration.urgency');
  const answer = await request(`/v1/tasks/${await newTask()}`);
  expect(answer.headers.get('a2a-gateway-loss')?.split(', ')).toContain('priority');
});

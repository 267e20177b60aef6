import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { beforeAll, describe, expect, test, vi } from 'vitest';
import { pages } from '../../codegen/dialect-pages.ts';
import type { Dialects } from '../../src/dialects/kernel/detect.ts';
import type { Dialect } from '../../src/dialects/kernel/dialect.ts';
import { type ChangedProject, changedProject } from '../support/changed-proto.ts';
import { printed, startCli } from '../support/cli.ts';
import { paced } from '../support/pace.ts';
import { afterTest } from '../support/peer.ts';

/**
 * Fields that are added to the protos and bundles of A2A 1.x pass through the gateway, and are losses in every dialect
 * whose shapes are tables: in its list, on its page and in the header of answers, without another edit.
 */

// Compilers run here, on machines that may be busy.
vi.setConfig({ testTimeout: paced(120_000), hookTimeout: paced(120_000) });

let project: ChangedProject;
let dialects: Dialects;
/** Of the gateway with the agent, and of one that has this agent as its upstream. */
let origin: string;
let relay: string;

/** Answers with the added field of the task, and with that of the request in the metadata. */
const agent = `export default {
  card: { name: 'a', description: 'a', version: '1', defaultInputModes: [], defaultOutputModes: [], skills: [],
    capabilities: { streaming: true } },
  async *execute({ configuration }) {
    const metadata = { urgency: configuration?.urgency ?? 'none' };
    yield { task: { status: { state: 'TASK_STATE_COMPLETED' }, priority: 7, metadata } };
  },
};\n`;

/** Starts a gateway from the copied sources. */
async function start(name: string, settings: string): Promise<string> {
  writeFileSync(
    join(project.dir, name),
    `listen: { host: localhost, port: 0 }\nstore: "memory:"\nagents:\n${settings}\n`,
  );
  const main = join(project.dir, 'src', 'cli', 'main.ts');
  const child = startCli(['serve', '--config', name], { cwd: project.dir, main, lasting: true });
  afterTest(() => child.kill('SIGKILL'));
  return /listening on (\S+)/.exec(await printed(child, /Ctrl-C/))?.[1] ?? '';
}

beforeAll(async () => {
  project = await changedProject((inputs) => {
    inputs.editProto('message Task {\n', 'message Task {\n  // How urgent it is.\n  int32 priority = 20;\n');
    inputs.editProto(
      'message SendMessageConfiguration {\n',
      'message SendMessageConfiguration {\n  string urgency = 20;\n',
    );
    inputs.editProto('message AgentSkill {\n', 'message AgentSkill {\n  string level = 20;\n');
    inputs.editSchema(({ definitions }) => {
      const add = (definition: string, field: string, schema: object): void => {
        const { properties } = definitions[definition] as { properties: Record<string, object> };
        properties[field] = schema;
      };
      add('Task', 'priority', { anyOf: [{ type: 'integer', minimum: -(2 ** 31), maximum: 2 ** 31 - 1 }] });
      add('Send Message Configuration', 'urgency', { type: 'string' });
      add('Agent Skill', 'level', { type: 'string' });
    });
  });
  const load = (path: string) => import(pathToFileURL(join(project.dir, 'src', path)).href);
  const { createDialects } = await load('dialects/registry.ts');
  dialects = createDialects();
  writeFileSync(join(project.dir, 'agent.mjs'), agent);
  origin = await start('gateway.yaml', '  a: { kind: module, path: ./agent.mjs }');
  relay = await start('relay.yaml', `  a: { kind: upstream, url: "${origin}", dialect: a2a-1.0 }`);
});

const request = (url: string, body?: object): Promise<Response> =>
  fetch(url, {
    method: body ? 'POST' : 'GET',
    headers: { 'Content-Type': 'application/json' },
    ...(body && { body: JSON.stringify(body) }),
  });

const message = { messageId: 'm', role: 'ROLE_USER', parts: [{ text: 'hi' }] };
const send = { message, configuration: { urgency: 'high' } };

/** Values of v1 that have an added field, and the paths at which it is lost. */
const added = {
  task: [{ id: 't', contextId: 'c', status: { state: 'TASK_STATE_COMPLETED' }, priority: 7 }, 'priority'],
  request: [{ operation: 'SendMessage', request: send }, 'configuration.urgency'],
  card: [
    {
      name: 'a',
      description: 'a',
      version: '1',
      supportedInterfaces: [],
      capabilities: {},
      defaultInputModes: [],
      defaultOutputModes: [],
      skills: [{ id: 's', name: 's', description: 's', tags: ['s'], level: 'high' }],
    },
    'skills.level',
  ],
} as const;

/** The losses of one conversion. */
function lost({ types }: Dialect, type: string, value: object): string[] {
  const losses = new Set<string>();
  types[type]?.encode(value, { losses });
  return [...losses];
}

async function newTask(): Promise<string> {
  const answer = await request(`${origin}/message:send`, send);
  const sent = (await answer.json()) as { task: { id: string } };
  expect(sent).toMatchObject({ task: { priority: 7, metadata: { urgency: 'high' } } });
  return sent.task.id;
}

const reported = (answer: Response): string[] => answer.headers.get('a2a-gateway-loss')?.split(', ') ?? [];

test('A2A 1.0 has the fields', async () => {
  const v1 = dialects.byName.get('a2a-1.0') as Dialect;
  for (const [type, [value]] of Object.entries(added)) expect(lost(v1, type, value)).toEqual([]);
  expect(v1.types.task?.decode(added.task[0], { losses: new Set() })).toEqual(added.task[0]);
  const answer = await request(`${origin}/tasks/${await newTask()}`);
  expect(reported(answer)).toEqual([]);
  expect(await answer.json()).toMatchObject({ priority: 7 });
});

test('every other dialect has a page', () => {
  const names = dialects.list.map(({ name }) => name).filter((name) => !name.startsWith('a2a-1.'));
  expect([...pages.keys()].sort()).toEqual(names.sort());
});

test('fields that a new proto adds: they pass to an upstream agent and back', async () => {
  const answer = await request(`${relay}/message:send`, send);
  expect(await answer.json()).toMatchObject({ task: { priority: 7, metadata: { urgency: 'high' } } });
  expect(reported(answer)).toEqual([]);
});

describe.each([...pages])('%s', (name, sections) => {
  const tables = [...sections.values()].flatMap((mapping) => Object.values(mapping.tables));
  const hasCard = tables.some(({ type }) => type === 'AgentSkill');
  const types = Object.entries(added).filter(([type]) => type !== 'card' || hasCard);

  test.each(types)(`${name} loses the new field of a %s, as listed`, (type, [value, path]) => {
    const dialect = dialects.byName.get(name) as Dialect;
    expect(dialect.losses[type]).toContain(path);
    expect(lost(dialect, type, value)).toContain(path);
  });

  test(`the page of ${name} lists the losses`, () => {
    const page = readFileSync(join(project.dir, 'docs', 'dialects', `${name}.md`), 'utf8');
    for (const [, [, path]] of types) expect(page).toContain(`| \`${path.split('.').at(-1)}\` |  | **lost** |`);
  });

  test(`the callers of ${name} are notified of the loss`, async () => {
    const params = { id: await newTask() };
    const answer = await request(`${origin}/as/${name}`, { jsonrpc: '2.0', id: 1, method: 'tasks/get', params });
    expect(await answer.json()).toMatchObject({ result: { id: params.id } });
    expect(reported(answer)).toContain('priority');
  });
});

test('0.3 loses them over HTTP+JSON and gRPC, too', async () => {
  const { rest, grpc } = dialects.byName.get('a2a-0.3') as Dialect;
  expect(rest?.losses?.task).toContain('priority');
  expect(grpc?.losses?.request).toContain('configuration.urgency');
  expect(rest?.losses?.card).toContain('skills.level');
  expect(reported(await request(`${origin}/v1/tasks/${await newTask()}`))).toContain('priority');
});

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { loadModuleAgent } from '../../src/agents/module.ts';
import { type AgentDefinition, type AgentRequest, defineAgent, textOf } from '../../src/index.ts';
import { startCore, taskIn, userMessage } from '../support/core.ts';
import { newFolder } from '../support/folders.ts';

/** The forms in which authors write agents. */

const folder = newFolder();

const library = new URL('../../src/index.ts', import.meta.url).href;
let files = 0;

function load(text: string, config?: unknown) {
  files += 1;
  const path = join(folder, `agent-${files}.mjs`);
  writeFileSync(path, `import { artifact, ask, defineAgent } from '${library}';\n${text}`);
  return loadModuleAgent(path, { name: 'mine', config, env: { KEY: 'k' } });
}

async function said(agent: Awaited<ReturnType<typeof load>>): Promise<string | undefined> {
  const core = await startCore({ mine: agent });
  const { message } = await core.call('SendMessage', { message: userMessage('Ada') });
  return message && textOf(message);
}

const fields = "name = 'Greeter'; description = 'Greets';";

it.each<[string, string]>([
  [
    'a function that returns a definition',
    "({ config }) => ({ name: 'A', description: 'B', execute: ({ text }) => config + ' ' + text })",
  ],
  [
    'a function that returns an agent',
    "async ({ config }) => defineAgent({ name: 'A', description: 'B' }, ({ text }) => config + ' ' + text)",
  ],
  [
    'a class',
    `class { ${fields} #config; constructor({ config }) { this.#config = config; } execute({ text }) { return \`\${this.#config} \${text}\`; } }`,
  ],
  [
    'a function that returns an instance',
    `({ config }) => new (class Greeter { ${fields} async *execute({ text }) { yield this.greet(text); } greet(text) { return { message: { parts: [{ text: config + ' ' + text }] } }; } })()`,
  ],
  [
    'a function that returns a class',
    `() => class { ${fields} constructor({ config }) { this.config = config; } async execute({ text }) { return this.config + ' ' + text; } }`,
  ],
])('a module may export %s with its settings', async (_, exported) => {
  expect(await said(await load(`export default ${exported};`, 'Hello'))).toBe('Hello Ada');
});

it.each<[string, string]>([
  ['a definition', "{ name: 'A', description: 'B', execute: ({ text }) => 'Hi ' + text }"],
  [
    'a definition with parts of a card',
    "{ name: 'A', description: 'B', card: { documentationUrl: 'http://x.org' }, execute: ({ text }) => 'Hi ' + text }",
  ],
  [
    'an instance',
    `new (class { ${fields} execute({ text }) { return this.word + ' ' + text; } get word() { return 'Hi'; } })()`,
  ],
  ['a promise', "Promise.resolve(defineAgent({ name: 'A', description: 'B', execute: ({ text }) => 'Hi ' + text }))"],
  [
    'an agent',
    "{ card: { name: 'A', description: 'B', version: '1', defaultInputModes: [], defaultOutputModes: [], skills: [], capabilities: {} }, async *execute({ message }) { yield { message: { parts: [{ text: 'Hi ' + message.parts[0].text }] } }; } }",
  ],
])('a module may export %s', async (_, exported) => {
  files += 1;
  const path = join(folder, `agent-${files}.mjs`);
  writeFileSync(path, `import { defineAgent } from '${library}';\nexport default ${exported};`);
  expect(await said(await loadModuleAgent(path, { name: 'mine', config: undefined, env: {} }))).toBe('Hi Ada');
});

it('a module may export a class, whose config its schema checks', async () => {
  const exported = `export const configSchema = { type: 'string' }; export default class { ${fields} execute() { return ''; } }`;
  await expect(load(exported, 5)).rejects.toThrow(/config that is not valid: config: must be string/);
});

it.each<[string, string, RegExp]>([
  ['nothing', '', /exports nothing by default; write `export default defineAgent\(/],
  [
    'an agent by a name',
    "export const weather = defineAgent({ name: 'A', description: 'B', execute: () => 'x' });",
    /exports nothing by default, but weather; write `export default weather`/,
  ],
  [
    'a class without execute',
    `export default class Weather { ${fields} run() {} }`,
    /The class Weather needs a method execute\. Return a text/,
  ],
  [
    'a class without a description',
    "export default class Weather { name = 'A'; execute() {} }",
    /The class Weather needs a description, a text/,
  ],
  [
    'a definition without a name',
    "export default () => ({ description: 'B', execute: () => 'x' });",
    /An agent needs a name, a text/,
  ],
  ['a function that returns nothing', 'export default () => {};', /Its function returned nothing\. It is called once/],
  [
    'execute itself',
    'export default async function* ({ text }) { yield text; }',
    /Its function returned an answer\. .*defineAgent\(\{ name, description \}, execute\)/,
  ],
  ['execute itself, as a plain function', 'export default () => "hi";', /Its function returned an answer/],
  [
    'a constructor that throws',
    '\nexport default class {\n  constructor() {\n    throw new Error("no key");\n  }\n}',
    /cannot be made: no key \(.*agent-\d+\.mjs:5\)/,
  ],
  ['a number', 'export default () => 5;', /An agent is what defineAgent\(.*\) returns, not a number/],
])('a module may not export %s: it says what to do', async (_, text, problem) => {
  await expect(load(text)).rejects.toThrow(problem);
});

describe('defineAgent takes', () => {
  class Counter implements AgentDefinition {
    readonly name = 'Counter';
    readonly description = 'Counts';
    #count = 0;
    closed = false;

    async *execute({ task }: AgentRequest) {
      this.#count += 1;
      yield { statusUpdate: { taskId: '', contextId: '', status: { state: 'TASK_STATE_WORKING' as const } } };
      if (!task) await new Promise(() => undefined);
    }

    async cancel() {
      this.#count += 10;
    }

    async close() {
      this.closed = true;
    }

    get count(): number {
      return this.#count;
    }
  }

  it('defineAgent takes an instance, whose methods keep their object', async () => {
    const counter = new Counter();
    const agent = defineAgent(counter);
    const core = await startCore({ mine: agent });
    const { id } = taskIn(
      await core.call('SendMessage', { message: userMessage('go'), configuration: { returnImmediately: true } }),
    );
    await core.call('CancelTask', { id });
    expect(counter.count).toBe(11);
    await agent.close?.();
    expect(counter.closed).toBe(true);
    expect(defineAgent(counter)).toBe(agent);
    expect(defineAgent(agent as never)).toBe(agent);
  });

  it('defineAgent takes a function with a name and a description', async () => {
    const agent = defineAgent({ name: 'A', description: 'B', version: '2.0.0' }, ({ text }) => `Hi ${text}`);
    expect(agent.card).toMatchObject({ name: 'A', version: '2.0.0' });
    expect(await said(agent)).toBe('Hi Ada');
  });

  it.each<[string, unknown, string]>([
    ['a class', Counter, 'Counter is a class. Make an instance: defineAgent(new Counter()).'],
    [
      'a function',
      () => 'x',
      'A function needs a name and a description: defineAgent({ name, description }, execute).',
    ],
    ['nothing', undefined, 'An agent is what defineAgent({ name, description, execute }) returns, not nothing.'],
  ])('defineAgent refuses %s', (_, value, message) => {
    expect(() => defineAgent(value as AgentDefinition)).toThrow(new TypeError(message));
  });
});

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { connect } from '../../src/client/index.ts';
import { cli } from '../support/cli.ts';
import { newFolder } from '../support/folders.ts';
import { type Opened, openGateway } from '../support/gateway.ts';

/** Settings that the configuration gives to modules. */

const folder = newFolder();
let gateway: Opened | undefined;

const url = (path: string): string => JSON.stringify(new URL(path, import.meta.url).href);
const zod = JSON.stringify(import.meta.resolve('zod'));

const greeter = `import { defineAgent } from ${url('../../src/index.ts')};
export default ({ name, config, env }) => defineAgent({
  name, description: 'Greets',
  execute: ({ text }) => \`\${config?.greeting ?? 'Hello'}, \${text}\${'!'.repeat(config?.marks ?? 0)} \${env.KEY ?? ''}\`.trim(),
});
`;
const write = (name: string, text: string): void => writeFileSync(join(folder, name), text);
const zodSchema = `import * as z from ${zod};
export const configSchema = z.strictObject({ greeting: z.string(), marks: z.number().default(2) });
`;
const jsonSchema = `export const configSchema = { type: 'object', required: ['greeting'], additionalProperties: false,
  properties: { greeting: { type: 'string' }, marks: { type: 'integer', default: 2 } } };
`;
write('plain.mjs', greeter);
write(
  'defaults.mjs',
  `export const configSchema = { type: 'object', properties: { greeting: { type: 'string', default: 'Hey' } } };\n${greeter}`,
);
write('zod.mjs', zodSchema + greeter);
write('json.mjs', jsonSchema + greeter);
write('wrong-schema.mjs', `export const configSchema = 5;\n${greeter}`);
write('throws.mjs', "\nexport default () => {\n  throw new Error('no database');\n};\n");
write('nothing.mjs', 'export default async () => undefined;\n');
write(
  'object.mjs',
  `import { defineAgent } from ${url('../../src/index.ts')};
export default defineAgent({ name: 'A', description: 'B', execute: () => 'hi' });
`,
);

async function said(agents: string): Promise<Record<string, string | undefined>> {
  gateway = await openGateway(`agents:\n${agents}`, { file: join(folder, 'gateway.yaml') });
  const answers: Record<string, string | undefined> = {};
  for (const name of ['a', 'b']) {
    const client = await connect(`${gateway.url}/${name}`);
    answers[name] = (await client.send('Ada')).message?.parts[0]?.text;
  }
  return answers;
}

it.each(['plain', 'zod', 'json'])('one module serves twice with other settings: %s', async (module) => {
  const answers = await said(`
  a: { kind: module, path: ./${module}.mjs, config: { greeting: Hi }, env: { KEY: one } }
  b: { kind: module, path: ./${module}.mjs, config: { greeting: Bye, marks: 1 } }
`);
  expect(answers).toEqual({ a: `Hi, Ada${module === 'plain' ? '' : '!!'} one`, b: 'Bye, Ada!' });
});

it('a module with settings gives a function nothing where the configuration has nothing', async () => {
  const agent = '{ kind: module, path: ./plain.mjs }';
  expect(await said(`  a: ${agent}\n  b: ${agent}\n`)).toEqual({ a: 'Hello, Ada', b: 'Hello, Ada' });
});

it('a module with settings gives a function the defaults of its schema where the configuration has nothing', async () => {
  const agent = '{ kind: module, path: ./defaults.mjs }';
  expect(await said(`  a: ${agent}\n  b: ${agent}\n`)).toEqual({ a: 'Hey, Ada', b: 'Hey, Ada' });
});

it.each<[string, string, RegExp]>([
  ['zod.mjs, config: { greeting: 5, mark: 1 }', 'both faults', /config\.greeting: .*expected string.*mark/i],
  ['json.mjs, config: { greeting: 5 }', 'a fault', /has a config that is not valid: config\.greeting: must be string/],
  ['json.mjs', 'a config that is missing', /config: must have required property 'greeting'/],
  ['wrong-schema.mjs, config: {}', 'a schema that is none', /configSchema must be a Standard Schema/],
  ['throws.mjs', 'what was thrown, and where', /cannot be made: no database \(.*throws\.mjs:3\)/],
  ['nothing.mjs', 'a function that returns no agent', /Its function returned nothing/],
  ['object.mjs, env: { KEY: hunter22 }', 'settings for no function', /takes no config and no env; export a function/],
])('a module of the settings %s is refused, which names %s', async (agent, _, problem) => {
  write('wrong.yaml', `store: "memory:"\nagents:\n  mine: { kind: module, path: ./${agent} }\n`);
  const { code, stderr } = await cli(['config', 'check', 'wrong.yaml'], { cwd: folder });
  expect(code).toBe(2);
  expect(stderr).toMatch(problem);
  expect(stderr).not.toContain('hunter22');
});

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { type AgentDefinition, artifact, connect, data, defineAgent, say, status } from '../../src/index.ts';
import { checkConfigs } from '../support/config-checks.ts';
import { newFolder } from '../support/folders.ts';
import { openGateway } from '../support/gateway.ts';
import { inProcess, type Outcome } from '../support/in-process.ts';

/** Mistakes that people make in their first hour. Each message says what is wrong, where, and what to do. */

const urlOf = (path: string): string => JSON.stringify(new URL(path, import.meta.url).href);

type Files = Readonly<Record<string, string>>;

const agent = (execute: string, before = ''): string =>
  `import { artifact, defineAgent } from ${urlOf('../../src/index.ts')};\n${before}\nexport default defineAgent({ name: 'A', description: 'B', ${execute} });\n`;

/** Mistakes in a module, by what they are: the files, and the message. */
const modules: Readonly<Record<string, readonly [files: Files, said: RegExp]>> = {
  'yield without the asterisk': [
    { 'agent.ts': agent("\nasync execute() {\n yield artifact({ content: 'x' });\n}") },
    /agent\.ts:5\); write `async \*execute\(…\)`, with the asterisk/,
  ],
  'an import without its extension': [
    {
      'agent.ts': agent('execute: () => help', "import { help } from './help';"),
      'help.ts': "export const help = 'x';",
    },
    /write the extension in the import: help\.ts/,
  ],
  'a package that is not installed': [
    { 'agent.ts': agent('execute: () => left', "import left from 'left-padded';") },
    /run npm install left-padded in the folder of the file/,
  ],
  'a type that is imported like a value': [
    { 'agent.ts': agent("execute: () => 'x'", `import { AgentSettings } from ${urlOf('../../src/index.ts')};`) },
    /if AgentSettings is a type, import it as \{ type AgentSettings \}/,
  ],
  'TypeScript that needs a compiler': [
    { 'agent.ts': agent("execute: () => 'x'", 'enum Color { red }') },
    /enum is not supported in strip-only mode \(.*agent\.ts:2\); Node only removes types/,
  ],
  'another kind of file': [{ 'agent.jsx': 'x' }, /expected a file that ends in \.js, \.mjs, \.ts or \.mts/],
  'an ES module in a CommonJS project': [
    { 'agent.js': 'export const a = 1;\nimport.meta.url;', 'package.json': '{ "type": "commonjs" }' },
    /Node takes this file for CommonJS.*name it agent\.mjs/,
  ],
  'no default export': [
    { 'agent.ts': agent("execute: () => 'x'").replace('export default', 'export const agent =') },
    /exports nothing by default, but agent; write `export default agent`/,
  ],
  'no name': [
    { 'agent.ts': agent("execute: () => 'x'").replace("name: 'A', ", '') },
    /An agent needs a name, a text: .* \(.*agent\.ts:3\)/,
  ],
  'no execute': [{ 'agent.ts': agent('') }, /An agent needs a function execute.* \(.*agent\.ts:3\)/],
  'a skill without tags': [
    { 'agent.ts': agent("skills: [{ id: 'a', name: 'A', description: 'B' }], execute: () => 'x'") },
    /a card that is not valid: skills\[0\]\.tags is required/,
  ],
  'a variable of the environment that is not set': [
    { 'agent.ts': agent("execute: () => 'x'", 'process.env.NO_SUCH_KEY.trim();') },
    /Cannot read properties of undefined \(reading 'trim'\) \(.*agent\.ts:2\)/,
  ],
};

describe('in a module', () => {
  let outcomes: Readonly<Record<string, Outcome>>;

  beforeAll(async () => {
    const configs = Object.entries(modules).map(([mistake, [files]]) => {
      const place = newFolder();
      const [name = ''] = Object.keys(files);
      const config = `store: "memory:"\nagents:\n  mine: { kind: module, path: ./${name} }\n`;
      const all = { 'package.json': '{ "type": "module" }', 'gateway.yaml': config, ...files };
      for (const [file, text] of Object.entries(all)) writeFileSync(join(place, file), text);
      return [mistake, join(place, 'gateway.yaml')];
    });
    outcomes = await checkConfigs(Object.fromEntries(configs));
  });

  it.each(Object.entries(modules))(
    'a mistake in a module is reported at its line of the configuration: %s',
    (mistake, [, said]) => {
      const { code, stderr } = outcomes[mistake] ?? expect.fail('not checked');
      expect(stderr).toMatch(said);
      expect(stderr).toMatch(/gateway\.yaml:3: agents\.mine\.path: /);
      expect(code).toBe(2);
    },
  );
});

describe('in an agent at work', () => {
  const wrong = (value: unknown): never => value as never;
  const agents: Readonly<Record<string, [AgentDefinition['execute'], RegExp]>> = {
    'yields-nothing': [async function* () {}, /ended without an answer: it must yield or return at least one event/],
    'yields-a-text': [
      async function* () {
        yield wrong('hi');
      },
      /an event is an object, as artifact\(…\) and say\(…\) return, not a string/,
    ],
    'misnames-a-state': [
      async function* () {
        yield status(wrong('completed'));
      },
      /no such task state: completed; did you mean TASK_STATE_COMPLETED\?/,
    ],
    'forgets-content': [
      () => artifact(wrong({})),
      /Content is a text, a part such as data\(…\) or file\(…\), or a list of them, not undefined.*mistakes\.test\.ts/,
    ],
    'says-something-and-goes-on': [
      async function* () {
        yield say('hi');
        yield artifact({ content: data(1) });
      },
      /^hi$/,
    ],
  };
  let opened: Awaited<ReturnType<typeof openGateway>>;
  beforeAll(async () => {
    const own = Object.entries(agents).map(([name, [execute]]) => [
      name,
      defineAgent({ name, description: name, execute }),
    ]);
    opened = await openGateway('', { agents: Object.fromEntries(own) });
  });

  it.each(Object.entries(agents))('a mistake of an agent at work says what is wrong: %s', async (name, [, said]) => {
    const client = await connect(`${opened.url}/${name}`);
    const answer = await client.send('hi').then(
      ({ message, task }) => (message ?? task?.status.message)?.parts[0]?.text,
      (thrown: Error) => thrown.message,
    );
    await client.close();
    expect(answer).toMatch(said);
  });
});

describe('on the command line', () => {
  let opened: Awaited<ReturnType<typeof openGateway>>;
  beforeAll(async () => {
    opened = await openGateway('auth: { anonymous: false, publicCards: true }');
  });

  it.each<[mistake: string, args: () => readonly string[], said: RegExp]>([
    ['a command of a command that is misspelt', () => ['task', 'lst'], /unknown command 'lst'.*\blist\?/],
    ['help for a command that is misspelt', () => ['help', 'task', 'wacth'], /'wacth'; did you mean watch\?/],
    ['help below a command that has none', () => ['help', 'send', 'x'], /'x'; send has no commands/],
    ['no TLS there', () => ['send', opened.url.replace('http:', 'https:'), 'hi'], /does not speak TLS here/],
    ['no agent there', () => ['send', `${opened.url}/nobody`, 'hi'], /no agent card at .*: tried /],
    ['another scheme', () => ['send', 'ftp://localhost', 'hi'], /expected something like http:\/\/localhost:8080/],
    [
      'a version without that binding',
      () => ['send', opened.url, 'hi', '--as', 'a2a-0.1', '--via', 'grpc'],
      /a2a-0\.1 is not available over gRPC/,
    ],
    [
      'no database there',
      () => ['serve', '--port', '0', '--store', 'postgres://a:b@127.0.0.1:1/c'],
      /is PostgreSQL running/,
    ],
  ])('a mistake on the command line is explained: %s', async (_, args, said) => {
    const { code, stderr } = await inProcess(args());
    expect(stderr).toMatch(said);
    expect(code).not.toBe(0);
    expect(
      stderr
        .trim()
        .split('\n')
        .filter((line) => line.startsWith('error: ')),
    ).toHaveLength(1);
  });
});

it.each([
  [['serve', '--store', 'postgres://gw:S3CR3T'], '--store: '],
  [['serve', '--store', 'postgres://gw:12/S3CR3T@h'], '--store: The store URL can be read in several ways'],
  [['serve', '--upstream', 'https://me:S3/CR3T@h'], '--upstream: '],
  [['serve', '--stroe=postgres://gw:S3CR3T@h/db'], "unknown option '--stroe=postgres://gw@h/db'"],
  [['config', 'check', 'file', 'postgres://gw:S3CR3T@h/db'], 'too many arguments'],
])('a URL on the command line is refused without its password: %j', async (args, message) => {
  const { code, stdout, stderr } = await inProcess(args);
  expect([code, stdout]).toEqual([2, '']);
  expect(stderr).toContain(message);
  expect(stderr).not.toMatch(/S3CR3T|CR3T@/);
});

it.each([['send'], ['task', 'get'], []])('help COMMAND prints what COMMAND --help prints: %s %s', async (...words) => {
  const shown = await inProcess(['help', ...words]);
  expect(shown).toEqual(await inProcess([...words, '--help']));
  expect(shown).toMatchObject({ code: 0, stderr: '' });
  expect(shown.stdout).toContain(`Usage: a2a-gateway ${words.join(' ')}`);
});

it('the help of send says that a dash reads stdin', async () => {
  expect((await inProcess(['help', 'send'])).stdout).toMatch(
    /^send a message .*; - as the text reads it\s+from stdin/m,
  );
});

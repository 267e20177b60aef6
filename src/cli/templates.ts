/** The files of the project that `init` writes. */

/** What the files depend on. */
export interface ProjectOptions {
  /** Name of the package. */
  readonly name: string;
  readonly language: 'ts' | 'js';
  /** Versions of packages. */
  readonly versions: { readonly gateway: string; readonly typescript: string; readonly nodeTypes: string };
}

const agent = `import { artifact, ask, defineAgent, progress } from 'a2a-gateway';

export default defineAgent({
  name: 'Greeter',
  description: 'Asks for your name and greets you.',
  async *execute({ text, task, log }) {
    // The first message has no task yet; the answer to the question belongs to one.
    if (!task) {
      yield ask('What is your name?');
      return;
    }
    log.info('greeting', { name: text });
    yield progress(\`Greeting \${text}\`);
    yield artifact({ name: 'greeting', content: \`Hello, \${text}!\` });
  },
});
`;

const test = (language: string): string => `import assert from 'node:assert/strict';
import { test } from 'node:test';
import { testAgent } from 'a2a-gateway/testing';
import agent from './agent.${language}';

test('asks for a name, and greets', async (t) => {
  const tester = await testAgent(agent);
  t.after(() => tester.close());

  const { task, text } = await tester.send('hello');
  assert.equal(task?.status.state, 'TASK_STATE_INPUT_REQUIRED');
  assert.equal(text, 'What is your name?');

  const answer = await tester.send('Ada', { taskId: task.id });
  assert.equal(answer.state, 'TASK_STATE_COMPLETED');
  assert.equal(answer.text, 'Hello, Ada!');
});
`;

const settings = (language: string): string => `# Settings of the gateway: npx a2a-gateway config check gateway.yaml
store: sqlite:./data/gateway.db
agents:
  greeter: { kind: module, path: ./agent.${language} }
`;

const tsconfig = `{
  "compilerOptions": {
    "target": "ES2024",
    "module": "NodeNext",
    "types": ["node"],
    "strict": true,
    "noEmit": true,
    "erasableSyntaxOnly": true,
    "verbatimModuleSyntax": true,
    "allowImportingTsExtensions": true,
    "skipLibCheck": true
  },
  "include": ["*.ts"]
}
`;

const ignored = `node_modules/
data/
.env
`;

const readme = ({ name, language }: ProjectOptions): string => `# ${name}

An A2A agent, served by [a2a-gateway](https://www.npmjs.com/package/a2a-gateway).

| command | does |
| --- | --- |
| \`npm run dev\` | serves the agent on http://localhost:8080, and loads it again when you save it |
| \`npm test\` | tests the agent without a network |
| \`npm start\` | serves the agent with the settings in \`gateway.yaml\`; tasks are kept in \`data/\` |
${language === 'ts' ? '| `npm run check` | checks the types |\n' : ''}
Talk to it from another terminal:

    npx a2a-gateway send http://localhost:8080 hello

It needs Node 22.18 or newer. Where npm has an older one, \`npm install node@24\` brings one for the commands above.

The agent is in \`agent.${language}\`, its test in \`agent.test.${language}\`.
`;

function manifest({ name, language, versions }: ProjectOptions): string {
  const types = { typescript: versions.typescript, '@types/node': versions.nodeTypes };
  const content = {
    name,
    private: true,
    type: 'module',
    scripts: {
      dev: `a2a-gateway serve --dev agent.${language}`,
      start: 'a2a-gateway serve --config gateway.yaml',
      // With a pattern, an old Node, which runs no TypeScript, fails instead of finding no tests.
      test: `node --test "*.test.${language}"`,
      ...(language === 'ts' && { check: 'tsc' }),
    },
    dependencies: { 'a2a-gateway': versions.gateway },
    ...(language === 'ts' && { devDependencies: types }),
  };
  return `${JSON.stringify(content, undefined, 2)}\n`;
}

/** The files of a project, by their names. */
export const projectFiles = (options: ProjectOptions): ReadonlyMap<string, string> => {
  const { language } = options;
  return new Map([
    ['package.json', manifest(options)],
    [`agent.${language}`, agent],
    [`agent.test.${language}`, test(language)],
    ['gateway.yaml', settings(language)],
    ...(language === 'ts' ? ([['tsconfig.json', tsconfig]] as const) : []),
    ['.gitignore', ignored],
    ['README.md', readme(options)],
  ]);
};

import { spawnSync } from 'node:child_process';
import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { installTools } from '../../scripts/tools.ts';
import { connect, type StreamResponse } from '../../src/index.ts';
import { type Block, blocksOf } from '../readme/blocks.ts';
import { testBlocks } from '../readme/run-blocks.ts';
import { Workspace } from '../readme/workspace.ts';
import { type ChatModel, startChatModel } from '../support/chat-model.ts';
import { paced } from '../support/pace.ts';
import { afterTest } from '../support/peer.ts';

/** The agents of the page about models, with the real libraries, against a server of the chat-completions API. */

const root = fileURLToPath(new URL('../../', import.meta.url));
const page = readFileSync(join(root, 'docs/guides/models.md'), 'utf8');
const modules = join(root, 'tools/models/node_modules');
const files = globSync('examples/models/*.ts', { cwd: root }).sort();
const options = { installed: true, modules } as const;

let model: ChatModel;
beforeAll(async () => {
  await installTools('models');
  model = await startChatModel();
  process.env.MODEL_URL = model.url;
}, paced(600_000));
afterAll(async () => {
  delete process.env.MODEL_URL;
  await model.close();
});

testBlocks('docs/guides/models.md', page, options);

const blocks = blocksOf(page);
const fileBlock = (file: string): Block => {
  const found = blocks.find((block) => block.file === basename(file));
  if (found === undefined) throw new Error(`the page shows no ${file}`);
  return found;
};

describe.each(files)('%s', (file) => {
  it('is what the page shows', () => {
    expect(fileBlock(file).text).toBe(`// ${basename(file)}\n${readFileSync(join(root, file), 'utf8')}`);
  });

  it('takes about forty lines', () => {
    const lines = readFileSync(join(root, file), 'utf8')
      .split('\n')
      .filter((line) => line !== '');
    expect(lines.length).toBeLessThanOrEqual(48);
  });

  it('passes on each piece of an answer before the model has said the next one, and asks what it is not told', async () => {
    const pausing = await startChatModel({ pauses: true });
    afterTest(() => pausing.close());
    const url = await served(file, pausing);
    const client = await connect(url);
    afterTest(() => client.close());
    const pieces: string[] = [];
    for await (const event of client.sendStream('What is the weather in Paris?')) {
      pieces.push(...textsOf(event));
      // The model says nothing more until the first piece has arrived.
      if (pieces[0] === 'It is ') pausing.resume();
    }
    expect(pieces).toEqual(['It is ', '18 °C and light rain in Paris', '.']);

    const { task } = await client.send('What is the weather?');
    expect(task?.status.state).toBe('TASK_STATE_INPUT_REQUIRED');
    expect(task?.status.message?.parts).toEqual([{ text: 'In which city?' }]);
    const answered = await client.send('Rome', { taskId: task?.id ?? '' });
    expect(answered.task?.status.state).toBe('TASK_STATE_COMPLETED');
    expect(answered.task?.artifacts?.flatMap(({ parts }) => parts.map(({ text }) => text)).join('')).toBe(
      'It is 18 °C and light rain in Rome.',
    );
    expect(pausing.requests.at(-1)?.messages.map(({ role }) => role)).toEqual([
      ...['user', 'assistant', 'tool'],
      ...['assistant', 'tool'],
    ]);
    expect(pausing.requests.map(({ tools }) => tools?.map(({ function: { name } }) => name))).toEqual(
      pausing.requests.map(() => ['get_weather', 'ask_user']),
    );
  });
});

/** Starts the command of the page that serves the agent. @returns its base URL */
async function served(file: string, { url }: ChatModel): Promise<string> {
  const command = blocks.find(({ text }) => text.includes(`serve --agent ${basename(file)}`));
  if (command === undefined) throw new Error(`the page does not serve ${file}`);
  const workspace = await Workspace.open([command], options);
  afterTest(() => workspace.close());
  workspace.write(fileBlock(file));
  const text = `MODEL_URL=${url} ${command.text}`;
  const { code, output } = await workspace.run(
    Object.assign({}, command, { text }),
    AbortSignal.timeout(paced(60_000)),
  );
  expect(code, output).toBe(0);
  const [, port = ''] = /--port (\d+)/.exec(command.text) ?? [];
  return workspace.translate(`http://localhost:${port}`);
}

const textsOf = ({ artifactUpdate }: StreamResponse): string[] =>
  artifactUpdate?.artifact?.parts.flatMap(({ text }) => text ?? []) ?? [];

it('the agents with a model type-check against the versions of the libraries that the page names', async () => {
  const workspace = await Workspace.open([], options);
  afterTest(() => workspace.close());
  for (const file of files) workspace.write(fileBlock(file));
  writeFileSync(join(workspace.folder, 'mistaken-agent.ts'), 'export const n: number = "text";\n');
  const paths = { 'a2a-gateway': [join(root, 'src/index.ts')] };
  // The AI SDK's own types do not compile under `exactOptionalPropertyTypes`.
  const compilerOptions = { paths, typeRoots: [join(root, 'node_modules/@types')], exactOptionalPropertyTypes: false };
  const config = { extends: join(root, 'tsconfig.json'), compilerOptions, include: ['*.ts'], exclude: [] };
  writeFileSync(join(workspace.folder, 'tsconfig.json'), JSON.stringify(config));
  const compiler = join(root, 'node_modules/typescript/bin/tsc');
  const { stdout } = spawnSync(process.execPath, [compiler, '-p', '.'], { cwd: workspace.folder, encoding: 'utf8' });
  expect(stdout.split('\n').filter((line) => /^[\w-]+-agent\.ts/.test(line))).toEqual([
    expect.stringMatching(/^mistaken-agent\.ts\(1,14\): error TS2322/),
  ]);
});

it('the page about models names the versions that its tests install', () => {
  const { devDependencies } = JSON.parse(readFileSync(join(root, 'tools/models/package.json'), 'utf8'));
  for (const name of ['openai', 'ai', '@ai-sdk/openai-compatible', '@langchain/langgraph', '@langchain/openai'])
    expect(page).toContain(`${name} ${devDependencies[name]}`);
});

import { spawn, spawnSync } from 'node:child_process';
import { appendFileSync, cpSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { createGateway, createReferenceAgent, type Gateway } from '../../src/index.ts';
import { newFolder } from '../support/folders.ts';
import { paced } from '../support/pace.ts';

// npm and the compiler run here, on machines that may be busy.
vi.setConfig({ testTimeout: paced(300_000), hookTimeout: paced(600_000) });

const root = fileURLToPath(new URL('../../', import.meta.url));
const folder = join(newFolder(), 'project');
let gateway: Gateway;
let url: string;

/** Runs a program of Node in the project. */
const run = (...args: string[]): { readonly status: number | null; readonly output: string } => {
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { cwd: folder, encoding: 'utf8' });
  return { status, output: stdout + stderr };
};

const types = (...args: string[]): { readonly status: number | null; readonly output: string } =>
  run(join(root, 'src/cli/main.ts'), 'types', ...args);

beforeAll(async () => {
  cpSync(join(root, 'examples/follow-the-specification'), folder, { recursive: true });
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'), 'dir');
  const { status, output } = types('--with', 'zod,operations,ts-proto,connect');
  expect(status, output).toBe(0);
  gateway = createGateway({
    agents: { demo: createReferenceAgent() },
    store: 'memory:',
    listen: { port: 0, host: '127.0.0.1' },
  });
  ({ url } = await gateway.listen());
});

afterAll(() => gateway.close());

test('the project compiles under the strict options of its tsconfig.json', () => {
  expect(run(join(root, 'node_modules/typescript/bin/tsc'), '-p', '.', '--singleThreaded')).toEqual({
    status: 0,
    output: '',
  });
});

test.each([
  ['fetch', 'TASK_STATE_COMPLETED\n'],
  ['grpc', 'task\nTASK_STATE_WORKING\nartifactUpdate\nTASK_STATE_COMPLETED\n'],
  ['connect', 'task\n2\nartifactUpdate\nCOMPLETED\n'],
])('its program %s.ts calls a gateway with what was generated', async (name, expected) => {
  // The gateway runs in this process, which must not be blocked.
  const program = spawn(process.execPath, [join(folder, 'src', `${name}.ts`), url], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const [output, errors] = await Promise.all([text(program.stdout), text(program.stderr)]);
  expect(errors).toBe('');
  expect(output).toBe(expected);
});

test('--check passes on what was generated, and names a file that was edited', () => {
  expect(types('--check').status).toBe(0);
  appendFileSync(join(folder, 'a2a/messages.ts'), '// mine\n');
  const { status, output } = types('--check');
  expect(status).toBe(1);
  expect(output).toContain('messages.ts');
});

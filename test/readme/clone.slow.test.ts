import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { globSync, readFileSync, statSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, it } from 'vitest';
import { newFolder } from '../support/folders.ts';
import { paced } from '../support/pace.ts';
import { blocksOf } from './blocks.ts';
import { newcomerEnv } from './newcomer.ts';

/** The commands with which a newcomer begins, run as they stand in the README, in a clone with nothing but what git has. */
const root = fileURLToPath(new URL('../../', import.meta.url));
const [start] = blocksOf(readFileSync(join(root, 'README.md'), 'utf8')).filter(({ language }) => language === 'sh');
const [startLine = '', testLine = ''] = start?.text.trimEnd().split('\n') ?? [];
const command = (line: string): string => line.replace(/\s+#.*/, '');

const env = newcomerEnv();

const isListening = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(port, 'localhost')
      .on('connect', () => resolve(true))
      .on('error', () => resolve(false));
    socket.on('close', () => socket.destroy());
  });

let clone = '';

/** Runs a command that serves until it is stopped, does something meanwhile, and stops it as Ctrl-C does. */
async function whileItRuns(line: string, use: (printed: string) => Promise<void>): Promise<void> {
  const child = spawn('sh', ['-c', line], { cwd: clone, env, detached: true, stdio: ['ignore', 'pipe', 'pipe'] });
  let printed = '';
  const ready = new Promise<void>((resolve, reject) => {
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (text: string) => {
        printed += text;
        if (printed.includes('http://localhost:8080')) resolve();
      });
    }
    child.once('exit', (code) => reject(new Error(`${line} ended with ${code}:\n${printed}`)));
  });
  // The shell ends before the gateway, which then still has the port.
  const ended = once(child, 'close');
  try {
    await ready;
    await use(printed);
  } finally {
    if (child.exitCode === null && child.pid !== undefined) process.kill(-child.pid, 'SIGINT');
    await ended;
  }
}

describe('a fresh clone', { timeout: paced(900_000) }, () => {
  beforeAll(() => {
    clone = newFolder();
    execFileSync('git', ['clone', '--quiet', '--no-hardlinks', '--depth=1', `file://${root}`, clone]);
  });

  it('a fresh clone shows two commands, with what they do', () => {
    expect([command(startLine), command(testLine)]).toEqual(['npm ci && npm start', 'npm test']);
    expect(start?.text).toMatch(
      /^npm ci && npm start +# the gateway with a demo agent, .*\nnpm test +# type check.*\n$/,
    );
  });

  it('a fresh clone starts with the first command, and builds nothing again at the next start', async ({ skip }) => {
    if (await isListening(8080)) skip('something listens on port 8080');
    const built = () =>
      globSync('dist/**/*', { cwd: clone })
        .sort()
        .map((path) => [path, statSync(join(clone, path)).mtimeMs]);
    const say = async () => {
      const response = await fetch('http://localhost:8080/message:send', {
        method: 'POST',
        headers: { 'Content-Type': 'application/json', 'A2A-Version': '1.0' },
        body: JSON.stringify({ message: { messageId: '1', role: 'ROLE_USER', parts: [{ text: 'say hello' }] } }),
      });
      expect(await response.json()).toMatchObject({ message: { parts: [{ text: 'hello' }] } });
    };
    await whileItRuns(command(startLine), say);
    const before = built();
    expect(before.map(([path]) => path)).toContain('dist/console/index.html');
    await whileItRuns('npm start', say);
    expect(built()).toEqual(before);
  });
});

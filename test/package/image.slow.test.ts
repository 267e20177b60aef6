import { execFileSync, spawn } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, it } from 'vitest';
import { printed } from '../support/cli.ts';
import { newFolder } from '../support/folders.ts';
import { paced } from '../support/pace.ts';
import { afterTest } from '../support/peer.ts';
import { buildImage, type Image, isInContext } from './dockerfile.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const read = (path: string): string => readFileSync(join(root, path), 'utf8');

/** The environment of a builder: this Node, npm, and nothing of this run of tests. */
const env = Object.fromEntries(
  Object.entries(process.env)
    .filter(([name]) => !/^(npm_|NODE_(?!EXTRA_CA_CERTS)|VITEST|TEST|INIT_CWD)/.test(name))
    .map(([name, value]) => [name, name === 'PATH' ? `${dirname(process.execPath)}:${value}` : value]),
);

/** Copies the files of a clean clone that .dockerignore leaves in. */
function writeContext(folder: string): void {
  const tracked = execFileSync('git', ['ls-files', '-z'], { cwd: root, encoding: 'utf8' }).split('\0');
  const ignore = read('.dockerignore');
  for (const path of tracked) {
    if (path === '' || !isInContext(path, ignore)) continue;
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    cpSync(join(root, path), join(folder, path));
  }
}

describe('the image, built without an engine from the files that its Dockerfile copies', {
  timeout: paced(120_000),
}, () => {
  let image: Image;
  beforeAll(() => {
    const context = newFolder();
    writeContext(context);
    image = buildImage(read('Dockerfile'), context, newFolder(), env);
  }, paced(600_000));

  it('starts with its own command, answers a message, and serves the console', async () => {
    const [program, entry = ''] = image.entrypoint;
    expect(program).toBe('node');
    const args = image.command.map((each) => (each.startsWith('/') ? join(image.root, each) : each));
    const config = args[args.indexOf('--config') + 1] ?? '';
    const settings = { listen: { port: 0 }, store: `sqlite:${join(image.root, 'data/gateway.db')}` };
    mkdirSync(dirname(config), { recursive: true });
    writeFileSync(config, JSON.stringify(settings));
    const child = spawn(process.execPath, [join(image.root, entry), ...args], {
      cwd: join(image.root, image.workdir),
      env,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    afterTest(() => child.exitCode === null && child.kill('SIGKILL'));
    const [url = ''] = /http:\/\/localhost:\d+/.exec(await printed(child, /Ctrl-C/)) ?? [];
    expect((await fetch(`${url}/readyz`)).status).toBe(200);
    const sent = await fetch(`${url}/message:send`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', 'A2A-Version': '1.0' },
      body: JSON.stringify({ message: { messageId: 'm', role: 'ROLE_USER', parts: [{ text: 'hello' }] } }),
    });
    expect(await sent.json()).toMatchObject({ task: { status: { state: 'TASK_STATE_COMPLETED' } } });
    const page = await (await fetch(`${url}/console/`)).text();
    const [, script = ''] = /<script[^>]+src="([^"]+)"/.exec(page) ?? [];
    expect((await fetch(new URL(script, `${url}/console/`))).status).toBe(200);
    child.kill('SIGTERM');
    await new Promise((resolve) => child.once('exit', resolve));
    expect(child.exitCode).toBe(0);
  });
});

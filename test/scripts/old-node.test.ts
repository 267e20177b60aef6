import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { paced } from '../support/pace.ts';

const path = (name: string) => fileURLToPath(new URL(`../../${name}`, import.meta.url));
const pretend = (version: string) =>
  `data:text/javascript,Object.defineProperty(process, 'versions', { value: { node: '${version}' } })`;

/** Runs a script on a Node that says that it is of another version. */
const run = (version: string, ...args: string[]) =>
  spawnSync(process.execPath, ['--import', pretend(version), ...args], { encoding: 'utf8', timeout: paced(10_000) });

const guarded = ['--input-type=module', '--eval', `import '${path('scripts/require-node.cjs')}'; console.log('runs')`];

it.each(['12.22.0', '20.20.2', '22.18.0'])('Node %s is refused in one line', (version) => {
  for (const args of [guarded, [path('bin/a2a-gateway.js'), '--version']]) {
    const { status, stdout, stderr } = run(version, ...args);
    expect(stderr).toMatch(new RegExp(`^a2a-gateway needs Node 22\\.19 or newer, this is ${version}.*\n$`));
    expect(stdout).toBe('');
    expect(status).toBe(1);
  }
});

it.each(['22.19.0', '24.0.0', '26.1.0'])('Node %s is accepted', (version) => {
  expect(run(version, ...guarded)).toMatchObject({ status: 0, stdout: 'runs\n', stderr: '' });
});

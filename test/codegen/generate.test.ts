import { spawnSync } from 'node:child_process';
import {
  appendFileSync,
  cpSync,
  existsSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test, vi } from 'vitest';
import { changedFiles, generate, runGenerate, writeFiles } from '../../codegen/generate.ts';
import { versions } from '../../codegen/versions.ts';
import { buf } from '../support/buf.ts';
import { copyInputs } from '../support/changed-proto.ts';
import { newFolder } from '../support/folders.ts';
import { paced } from '../support/pace.ts';

// Compilers run here, on machines that may be busy.
vi.setConfig({ testTimeout: paced(120_000), hookTimeout: paced(120_000) });

const root = fileURLToPath(new URL('../..', import.meta.url));
const out = newFolder();

/** Busy machines take longer than two seconds for a step, which is then named. */
const withoutProgress = (text: string): string => text.replace(/^.* …\n/gm, '');

/** Runs the command in a process of its own. */
const run = (...args: string[]) => {
  const command = [join(root, 'codegen', 'generate.ts'), ...args];
  const { status, stdout, stderr } = spawnSync(process.execPath, command, { encoding: 'utf8', cwd: out });
  return { status, stdout, stderr };
};

/** Runs it in this process, which is quicker. */
async function command(...args: string[]): Promise<{ code: number; text: string; errors: string }> {
  const printed = { text: '', errors: '' };
  const code = await runGenerate(args, {
    out: (line) => {
      printed.text += `${line}\n`;
    },
    err: (line) => {
      printed.errors += `${line}\n`;
    },
  });
  return { code, ...printed };
}

/** Generating takes its time: what one run gives is looked at twice. */
let current: ReturnType<typeof generate> | undefined;
const generated = () => {
  current ??= generate();
  return current;
};

test('the generated code and pages are up to date', async () => {
  const { files, pages } = await generated();
  expect(changedFiles(files, join(root, 'src', 'gen'))).toEqual([]);
  for (const [name, text] of pages)
    expect(readFileSync(join(root, 'docs', 'dialects', name), 'utf8') === text, name).toBe(true);
});

test('every output says where it comes from', async () => {
  for (const [path, text] of (await generated()).files)
    expect([path, text.split('\n')[0]]).toEqual([
      path,
      expect.stringMatching(/^\/\/ Generated from .* Do not edit\.$/),
    ]);
});

test.each(versions)('the protos pass buf lint, with $name', ({ name }) => {
  const others = versions.filter((version) => version.name !== name);
  const args = [buf, 'lint', ...others.flatMap((version) => ['--exclude-path', `proto/${version.name}`])];
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8', cwd: root });
  expect({ status, stdout, errors: withoutProgress(stderr) }).toEqual({ status: 0, stdout: '', errors: '' });
});

describe('the command', () => {
  const docs = newFolder();
  const page = () => readFileSync(join(docs, 'a2a-0.3.md'), 'utf8');
  const places = ['--out', out, '--docs', docs];

  test('the command writes the same bytes in every run', async () => {
    writeFileSync(join(docs, 'a2a-0.3.md'), '# A2A 0.3\n\nBy hand.\n');
    expect(run(...places)).toMatchObject({ status: 0 });
    expect(changedFiles((await generated()).files, out)).toEqual([]);
    expect(await command(...places, '--check')).toEqual({ code: 0, text: '', errors: '' });
  });

  test('the command writes the generated part of pages, and leaves what is written by hand', () => {
    expect(page()).toMatch(/^# A2A 0\.3\n\nBy hand\.\n\n<!-- From here on written by `npm run generate`/);
    expect(page()).toContain('| `tenant` |  | **lost** |');
  });

  test('the command lists what differs with --check, and makes it right without', async () => {
    appendFileSync(join(out, 'a2a-1.1', 'types.ts'), '\n');
    writeFileSync(join(out, 'stale.ts'), '');
    rmSync(join(out, 'image.ts'));
    writeFileSync(join(docs, 'a2a-0.3.md'), page().replace('By hand', 'By another hand').replace('**lost**', 'lost'));
    const { code, errors } = await command(...places, '--check');
    expect(code).toBe(1);
    expect(errors.trim().split('\n').slice(1)).toEqual([
      '  a2a-1.1/types.ts',
      '  image.ts',
      '  stale.ts',
      '  docs/dialects/a2a-0.3.md',
    ]);
    expect(await command(...places)).toMatchObject({ code: 0 });
    expect(changedFiles((await generated()).files, out)).toEqual([]);
    expect(page()).toContain('By another hand');
    expect(page()).not.toContain('| lost |');
  });

  test('a disagreement fails the generator, which names the field and writes nothing', () => {
    const inputs = copyInputs();
    inputs.editProto('string filename = 6;', 'int32 filename = 6;');
    const target = join(inputs.dir, 'gen');
    const { status, stderr } = run('--out', target, '--proto', inputs.protoDir);
    expect(status).toBe(1);
    expect(stderr).toContain('lf.a2a.v1.Part.filename: proto has int32, schema has string');
    expect(stderr).not.toContain('    at ');
    expect(existsSync(target)).toBe(false);
  });

  test('an overlay row that fits nothing any more fails the generator', () => {
    const inputs = copyInputs();
    inputs.editProto('rpc SubscribeToTask(', 'rpc Subscribe(');
    const { status, stderr } = run('--out', join(inputs.dir, 'gen'), '--proto', inputs.protoDir);
    expect(status).toBe(1);
    expect(stderr).toContain('lf.a2a.v1.A2AService.SubscribeToTask');
  });
});

test('files that are right are not touched, superfluous ones go', () => {
  const dir = newFolder();
  writeFiles(
    new Map([
      ['a/b.ts', '1'],
      ['c.ts', '2'],
    ]),
    dir,
  );
  const before = statSync(join(dir, 'a', 'b.ts')).mtimeMs;
  writeFiles(new Map([['a/b.ts', '1']]), dir);
  expect(statSync(join(dir, 'a', 'b.ts')).mtimeMs).toBe(before);
  expect(existsSync(join(dir, 'c.ts'))).toBe(false);
  expect(readFileSync(join(dir, 'a', 'b.ts'), 'utf8')).toBe('1');
});

test('everything is generated where src/gen is broken', async () => {
  const copy = newFolder();
  const { files } = await generated();
  const written = new Set([...files.keys()].map((path) => join(root, 'src', 'gen', path)));
  for (const folder of ['codegen', 'proto', 'scripts', 'src', 'docs/dialects']) {
    cpSync(join(root, folder), join(copy, folder), { recursive: true, filter: (path) => !written.has(path) });
  }
  for (const name of ['node_modules', 'tools', 'package.json']) symlinkSync(join(root, name), join(copy, name));
  writeFiles(new Map([...files.keys()].map((path) => [path, 'no code'])), join(copy, 'src', 'gen'));
  const { status, stderr } = spawnSync(process.execPath, [join(copy, 'codegen', 'generate.ts')], { encoding: 'utf8' });
  expect({ status, errors: withoutProgress(stderr) }).toEqual({ status: 0, errors: '' });
  expect(changedFiles(files, join(copy, 'src', 'gen'))).toEqual([]);
});

import { spawnSync } from 'node:child_process';
import { appendFileSync, existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, test, vi } from 'vitest';
import { changedFiles, generate, writeFiles } from '../../codegen/generate.ts';
import { versions } from '../../codegen/versions.ts';
import { copyInputs } from '../support/changed-proto.ts';

// Compilers run here, on machines that may be busy.
vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

const root = fileURLToPath(new URL('../..', import.meta.url));
const out = mkdtempSync(join(tmpdir(), 'a2a-generate-'));
afterAll(() => rmSync(out, { recursive: true, force: true }));

const run = (...args: string[]) => {
  const command = [join(root, 'codegen', 'generate.ts'), ...args];
  const { status, stdout, stderr } = spawnSync(process.execPath, command, { encoding: 'utf8', cwd: out });
  return { status, stdout, stderr };
};

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

test('every output says where it comes from, and two runs give the same bytes', async () => {
  const [first, second] = [await generated(), await generate()];
  expect([...first.files, ...first.pages]).toEqual([...second.files, ...second.pages]);
  for (const [path, text] of first.files)
    expect([path, text.split('\n')[0]]).toEqual([
      path,
      expect.stringMatching(/^\/\/ Generated from .* Do not edit\.$/),
    ]);
});

test.each(versions)('the protos pass buf lint, with $name', ({ name }) => {
  const buf = join(dirname(createRequire(import.meta.url).resolve('@bufbuild/buf/package.json')), 'bin', 'buf');
  const others = versions.filter((version) => version.name !== name);
  const args = [buf, 'lint', ...others.flatMap((version) => ['--exclude-path', `proto/${version.name}`])];
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8', cwd: root });
  expect({ status, stdout, stderr }).toEqual({ status: 0, stdout: '', stderr: '' });
});

describe('the command', () => {
  test('writes, and --check lists what differs', () => {
    expect(run('--out', out)).toMatchObject({ status: 0 });
    expect(run('--out', out, '--check')).toEqual({ status: 0, stdout: '', stderr: '' });
    appendFileSync(join(out, 'a2a-1.1', 'types.ts'), '\n');
    writeFileSync(join(out, 'stale.ts'), '');
    rmSync(join(out, 'image.ts'));
    const { status, stderr } = run('--out', out, '--check');
    expect(status).toBe(1);
    expect(stderr.trim().split('\n').slice(1)).toEqual(['  a2a-1.1/types.ts', '  image.ts', '  stale.ts']);
  });

  test('writes the generated part of pages, and leaves what is written by hand', () => {
    const docs = mkdtempSync(join(tmpdir(), 'a2a-pages-'));
    writeFileSync(join(docs, 'a2a-0.3.md'), '# A2A 0.3\n\nBy hand.\n');
    const page = () => readFileSync(join(docs, 'a2a-0.3.md'), 'utf8');
    expect(run('--out', out, '--docs', docs)).toMatchObject({ status: 0 });
    expect(page()).toMatch(/^# A2A 0\.3\n\nBy hand\.\n\n<!-- From here on written by `npm run generate`/);
    expect(page()).toContain('| `tenant` |  | **lost** |');
    expect(run('--out', out, '--docs', docs, '--check')).toEqual({ status: 0, stdout: '', stderr: '' });
    writeFileSync(join(docs, 'a2a-0.3.md'), page().replace('By hand', 'By another hand').replace('**lost**', 'lost'));
    expect(run('--out', out, '--docs', docs, '--check').stderr).toContain('  docs/dialects/a2a-0.3.md');
    expect(run('--out', out, '--docs', docs)).toMatchObject({ status: 0 });
    expect(page()).toContain('By another hand');
    expect(page()).not.toContain('| lost |');
    rmSync(docs, { recursive: true });
  });

  test('a disagreement fails it, names the field and writes nothing', () => {
    const inputs = copyInputs();
    try {
      inputs.editProto('string filename = 6;', 'int32 filename = 6;');
      const target = join(inputs.dir, 'gen');
      const { status, stderr } = run('--out', target, '--proto', inputs.protoDir);
      expect(status).toBe(1);
      expect(stderr).toContain('lf.a2a.v1.Part.filename: proto has int32, schema has string');
      expect(stderr).not.toContain('    at ');
      expect(existsSync(target)).toBe(false);
    } finally {
      inputs.dispose();
    }
  });

  test('so does an overlay row that fits nothing any more', () => {
    const inputs = copyInputs();
    try {
      inputs.editProto('rpc SubscribeToTask(', 'rpc Subscribe(');
      const { status, stderr } = run('--out', join(inputs.dir, 'gen'), '--proto', inputs.protoDir);
      expect(status).toBe(1);
      expect(stderr).toContain('lf.a2a.v1.A2AService.SubscribeToTask');
    } finally {
      inputs.dispose();
    }
  });
});

test('files that are right are not touched, superfluous ones go', () => {
  const dir = mkdtempSync(join(out, 'write-'));
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

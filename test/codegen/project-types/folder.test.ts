import { existsSync, lstatSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { mark } from '../../../codegen/project-types/files.ts';
import { TypesFolder } from '../../../codegen/project-types/folder.ts';
import { makeFolder } from '../../../codegen/project-types/make-folder.ts';
import { digestOf, type LastRun, recordName, recordText } from '../../../codegen/project-types/record.ts';
import { newFolder } from '../../support/folders.ts';
import { Project } from './run-types.ts';

/** A record of a run, as it was written. */
let record: LastRun;

beforeAll(async () => {
  const project = new Project();
  await project.types({ with: '' });
  record = JSON.parse(project.read(`a2a/${recordName}`));
});

/** The files of a run that wrote some names. */
function filesOf(...names: readonly string[]): Map<string, string> {
  const files = new Map(names.map((name) => [name, `${mark}${names.join(' ')}\n`]));
  const digests = Object.fromEntries([...files].map(([name, text]) => [name, digestOf(text)]));
  return new Map([...files, [recordName, recordText({ ...record, files: digests })]]);
}

const folderAt = (path: string): TypesFolder => new TypesFolder(path, (file) => file);
const unchecked = (): void => undefined;

test('the later of two runs with different options removes what the earlier one alone has written', async () => {
  const path = newFolder();
  // Both begin before one of them writes.
  const [first, second] = [folderAt(path), folderAt(path)];
  await first.write(filesOf('types.ts', 'operations.ts'), unchecked);
  const { last, removed } = await second.write(filesOf('types.ts', 'schemas.ts'), unchecked);
  expect(removed).toEqual(['operations.ts']);
  expect(Object.keys(last?.files ?? {})).toEqual(['types.ts', 'operations.ts']);
  expect(readdirSync(path).sort()).toEqual([recordName, 'schemas.ts', 'types.ts']);
});

test('a file of the user that appears while a run generates is found before anything is written', async () => {
  const path = newFolder();
  const folder = folderAt(path);
  writeFileSync(join(path, 'types.ts'), 'mine');
  const check = (): void => {
    if (folder.inTheWay(['types.ts']).length > 0) throw new Error('in the way');
  };
  await expect(folder.write(filesOf('types.ts'), check)).rejects.toThrow('in the way');
  expect(readdirSync(path)).toEqual(['types.ts']);
});

test.each([
  ['a link to nothing', (path: string) => symlinkSync(join(path, 'nothing'), join(path, 'types.ts')), 'types.ts'],
  [
    'a link to a generated file',
    (path: string) => {
      writeFileSync(join(path, 'other.ts'), mark);
      symlinkSync('other.ts', join(path, 'types.ts'));
    },
    'types.ts',
  ],
  ['a folder', (path: string) => mkdirSync(join(path, 'types.ts')), 'types.ts'],
  ['a file', (path: string) => writeFileSync(join(path, 'types.ts'), ''), 'types.ts'],
  ['a JSON file', (path: string) => writeFileSync(join(path, recordName), '{ "mine": true }'), recordName],
  ['an empty file', (path: string) => writeFileSync(join(path, recordName), ''), recordName],
  ['a link to nothing', (path: string) => symlinkSync('nothing', join(path, recordName)), recordName],
])('a file that the command has not written is in the way: %s', (_, write, name) => {
  const path = newFolder();
  write(path);
  expect(folderAt(path).inTheWay(['types.ts', recordName])).toEqual([name]);
});

test('a file that the command has not written is not replaced if it has the name of the record', async () => {
  const project = new Project();
  project.write(`a2a/${recordName}`, '{ "mine": true }');
  for (const options of [{}, { a2a: '1.0' }]) {
    const { failure } = await project.types({ ...options, with: '' });
    expect(failure?.message).toMatch(/^a2a\/\.a2a-types\.json was not written by this command/);
  }
  expect(project.read(`a2a/${recordName}`)).toBe('{ "mine": true }');
  expect(existsSync(join(project.folder, 'a2a/types.ts'))).toBe(false);
});

test('a file that the command has not written is not replaced if it is a link to nothing', async () => {
  const project = new Project();
  project.write('a2a/notes.md', '');
  symlinkSync('../elsewhere/types.ts', join(project.folder, 'a2a/types.ts'));
  expect((await project.types({ with: '' })).failure?.message).toMatch(/^a2a\/types\.ts was not written by/);
  expect(lstatSync(join(project.folder, 'a2a/types.ts')).isSymbolicLink()).toBe(true);
});

test('a record whose descriptors cannot be read is no record', async () => {
  const path = newFolder();
  writeFileSync(join(path, recordName), recordText({ ...record, descriptors: 'AAAA' }));
  expect(folderAt(path).last).toBeUndefined();
  expect(folderAt(path).hasBrokenRecord).toBe(true);
});

test('a folder that is made is made with those that it is in, and may be there', () => {
  const path = join(newFolder(), 'a', 'b');
  makeFolder(path);
  makeFolder(path);
  expect(lstatSync(path).isDirectory()).toBe(true);
});

test('a folder that is made is an error where a file is in its path', () => {
  const path = newFolder();
  writeFileSync(join(path, 'file'), 'mine');
  for (const name of ['file', 'file/below']) expect(() => makeFolder(join(path, name))).toThrow(/EEXIST|ENOTDIR/);
  expect(readFileSync(join(path, 'file'), 'utf8')).toBe('mine');
});

// Elsewhere, no such place is there.
test.runIf(process.platform === 'linux')(
  'a folder that is made is an error where the system lets none be made',
  async () => {
    expect(() => makeFolder('/proc/nope/a/b')).toThrow(/ENOENT/);
    expect((await new Project().types({ out: '/proc/nope/a2a', with: '' })).failure?.message).toMatch(
      /^cannot write to .*\/proc\/nope\/a2a: the folder cannot be created$/,
    );
  },
);

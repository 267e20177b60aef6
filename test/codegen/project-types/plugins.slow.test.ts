import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, test } from 'vitest';
import { buildImage, type Image } from '../../../codegen/image.ts';
import { GeneratorError } from '../../../codegen/project-types/plugin-process.ts';
import { type PluginPart, pluginFiles } from '../../../codegen/project-types/plugins.ts';
import { toolCache } from '../../../codegen/project-types/tool-cache.ts';
import { versions } from '../../../codegen/versions.ts';
import { newFolder } from '../../support/folders.ts';
import { ownProtos } from '../../support/own-protos.ts';
import { paced } from '../../support/pace.ts';

const root = fileURLToPath(new URL('../../../', import.meta.url));

const both: readonly PluginPart[] = ['ts-proto', 'connect'];

/** Options that a project may have, each of which rejects code that is written carelessly. */
const strictest = {
  strict: true,
  erasableSyntaxOnly: true,
  verbatimModuleSyntax: true,
  isolatedModules: true,
  exactOptionalPropertyTypes: true,
  noUncheckedIndexedAccess: true,
  noImplicitOverride: true,
  noFallthroughCasesInSwitch: true,
};

beforeAll(async () => {
  await toolCache('compile');
  await toolCache('plugins');
}, paced(600_000));

interface Given {
  readonly name: string;
  readonly image: () => Image;
  readonly proto: string;
}

const protos: readonly Given[] = [
  ...versions.map(({ name }) => ({
    name: name.replace('a2a-', 'A2A '),
    image: () => buildImage(join(root, 'proto'), name),
    proto: `${name}/lf/a2a/v1/a2a.proto`,
  })),
  { name: 'A2A 0.3', image: () => buildImage(join(root, 'proto')), proto: 'a2a/v1/a2a.proto' },
  { name: "a user's own proto", image: () => imageOf(ownProtos), proto: 'shop.proto' },
];

/** The image of some protos, beside those of Google's API. */
function imageOf(texts: Readonly<Record<string, string>>): Image {
  const folder = newFolder();
  cpSync(join(root, 'proto/google'), join(folder, 'google'), { recursive: true });
  write(folder, new Map(Object.entries(texts)));
  return buildImage(folder);
}

function write(folder: string, files: ReadonlyMap<string, string>): void {
  for (const [path, text] of files) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
}

/** A project with the packages that generated code imports. */
function projectWith(files: ReadonlyMap<string, string>): string {
  const folder = newFolder();
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'), 'dir');
  write(folder, new Map([...files, ['package.json', '{"type":"module"}']]));
  return folder;
}

function typeErrors(folder: string, options: object): string {
  const compilerOptions = {
    ...strictest,
    module: 'nodenext',
    target: 'ES2024',
    noEmit: true,
    types: ['node'],
    ...options,
  };
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['**/*.ts'] }));
  const compiler = join(root, 'node_modules/typescript/bin/tsc');
  const { stdout } = spawnSync(process.execPath, [compiler, '-p', folder, '--pretty', 'false', '--singleThreaded'], {
    encoding: 'utf8',
  });
  return stdout;
}

describe('what generators write', () => {
  /** Files by the folder of each proto, with each end of imports. */
  const written = new Map<string, ReadonlyMap<string, string>>();
  const folderOf = (name: string, extension: string): string => `${name.replaceAll(/\W/g, '-')}${extension}`;
  let project: string;

  beforeAll(async () => {
    for (const { name, image, proto } of protos) {
      for (const extension of ['.ts', '.js'] as const) {
        written.set(folderOf(name, extension), await pluginFiles(image(), proto, both, extension));
      }
    }
    const inFolders = [...written].flatMap(([folder, files]) =>
      Array.from(files, ([path, text]) => [`${folder}/${path}`, text] as const),
    );
    project = projectWith(new Map(inFolders));
  }, paced(600_000));

  test('what generators write compiles under every strict option with imports that end in .ts and in .js', () => {
    expect(typeErrors(project, { allowImportingTsExtensions: true })).toBe('');
  });

  test('what generators write runs on Node as it is', () => {
    const folders = protos.map(({ name }) => folderOf(name, '.ts'));
    const imports = folders.flatMap((folder) => [
      `import './${folder}/messages.ts';`,
      `import './${folder}/connect.ts';`,
    ]);
    writeFileSync(join(project, 'all.ts'), `${imports.join('\n')}\nconsole.log('loaded');\n`);
    const { stdout, stderr } = spawnSync(process.execPath, [join(project, 'all.ts')], { encoding: 'utf8' });
    expect(`${stdout}${stderr}`).toBe('loaded\n');
  });

  test.each(protos)('what generators write is two files for $name, with those that they import', ({ name }) => {
    const files = written.get(folderOf(name, '.ts')) ?? expect.fail('not written');
    expect([...files.keys()]).toMatchSnapshot();
    expect([...files.values()].join('')).not.toMatch(/from "[./]*google\/api|eslint-disable/);
  });

  test('what generators write has the same bytes every time', async () => {
    const again = await pluginFiles(imageOf(ownProtos), 'shop.proto', both, '.ts');
    expect(again).toEqual(written.get(folderOf("a user's own proto", '.ts')));
  });
});

test('messages round-trip through bytes and JSON', async () => {
  const folder = projectWith(await pluginFiles(imageOf(ownProtos), 'shop.proto', both, '.ts'));
  const { Order } = await import(join(folder, 'messages.ts'));
  const json = {
    id: 'o-1',
    lines: [{ sku: 'tea', kind: 'KIND_GIFT', deep: { kind: 'B' } }],
    bySku: { tea: { sku: 'tea' } },
    kinds: { 7: 'KIND_GIFT' },
    seen: { 9007199254740993: true },
    cash: { currency: 'CURRENCY_EUR', units: '9007199254740993' },
    number: '-9007199254740993',
    shared: { note: 'n', more: { a: { note: 'b' } } },
  };
  const message = Order.fromJSON(json);
  expect(message.payment).toEqual({ $case: 'cash', value: { currency: 'CURRENCY_EUR', units: '9007199254740993' } });
  expect(Order.toJSON(Order.decode(Order.encode(message).finish()))).toEqual(json);
});

test('only the wanted part is written', async () => {
  const image = imageOf(ownProtos);
  const files = await pluginFiles(image, 'shop.proto', ['connect'], '.ts');
  expect([...files.keys()]).toEqual(['acme/currency_pb.ts', 'acme/money_pb.ts', 'connect.ts', 'imports/types_pb.ts']);
});

test('a type that an annotation declares is written where a field has it', async () => {
  const image = imageOf({
    'rules.proto': `syntax = "proto3"; package rules; import "google/api/http.proto"; message Rules { google.api.HttpRule http = 1; }`,
  });
  const files = await pluginFiles(image, 'rules.proto', both, '.ts');
  expect([...files.keys()]).toEqual(['connect.ts', 'google/api/http.ts', 'google/api/http_pb.ts', 'messages.ts']);
});

test('a proto of an edition that a generator does not know is refused', async () => {
  const image = imageOf({ 'new.proto': `edition = "2023"; package p; message M { string a = 1; }` });
  const [file] = image.set.file.filter(({ name }) => name === 'new.proto');
  Object.assign(file as object, { edition: 99_999 });
  const refused = pluginFiles(image, 'new.proto', both, '.ts');
  await expect(refused).rejects.toThrow(GeneratorError);
  await expect(refused).rejects.toThrow(/edition/i);
});

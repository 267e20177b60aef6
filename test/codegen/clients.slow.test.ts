import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { expect, test, vi } from 'vitest';
import { bundleOf } from '../../codegen/bundle.ts';
import { clientSources } from '../../codegen/clients.ts';
import { describe as describeProto } from '../../codegen/model.ts';
import { markedModel } from '../../codegen/since.ts';
import { typesSource } from '../../codegen/types.ts';
import { decode, encode } from '../../src/wire/protobuf.ts';
import { noOverlay } from '../support/described-messages.ts';
import { newFolder } from '../support/folders.ts';
import { imageOf } from '../support/inline-proto.ts';
import { paced } from '../support/pace.ts';

// Compilers run here, on machines that may be busy.
vi.setConfig({ testTimeout: paced(120_000) });

const root = fileURLToPath(new URL('../..', import.meta.url));

const older = `service S { rpc Get(Request) returns (Thing); rpc Watch(Request) returns (stream Thing); }
message Request { string id = 1; }
message Thing {
  string id = 1;
  string nick_name = 2;
  int32 weight = 3;
  Mood mood = 4;
  repeated Side sides = 5;
  string gone = 6;
  bytes raw = 7;
}
message Side { int32 width = 1; string colour = 2; }
enum Mood { MOOD_UNSPECIFIED = 0; MOOD_GOOD = 1; }`;

/** The published version has names and a type of its own, a new field and value, and lacks one. */
const published = [
  ['nick_name', 'short_name'],
  ['int32 weight', 'string weight'],
  ['  string gone = 6;\n', '  string added = 8;\n'],
  ['MOOD_GOOD', 'MOOD_FINE'],
  ['Side sides', 'Edge sides'],
  ['message Side', 'message Edge'],
].reduce((text, [from = '', to = '']) => text.replace(from, to), older);

/** Nothing here runs: the type checker holds the types of the client. */
const use = `import type { Edge, Mood, Thing } from './clients/v1/grpc.ts';
import { rpcs, type Rpcs } from './clients/v1/service.ts';
const edge: Edge = { width: 1, colour: 'red' };
const mood: Mood = 'MOOD_FINE';
export const thing: Thing = { id: 'a', shortName: 'b', weight: '5', mood, sides: [edge], added: 'c', raw: Buffer.from('d') };
export const answer: Rpcs['get']['response'] = thing;
export const paths: string[] = rpcs.map(({ path }) => path);
// @ts-expect-error: the name of the other version
export const former: Thing = { nickName: 'b' };
// @ts-expect-error: the type of the other version
export const heavy: Thing = { weight: 5 };
// @ts-expect-error: this version lacks it
export const gone: Thing = { gone: '' };
// @ts-expect-error: the name of the other version
export const good: Mood = 'MOOD_GOOD';
`;

test('typed clients of a published version have its names and types where the older one has others', async () => {
  const folder = newFolder();
  const image = imageOf(published);
  const [model, former] = [image, imageOf(older)].map((one) => describeProto(one, 'test.proto', noOverlay));
  if (!model || !former) throw new Error('no models');
  const whole = markedModel([model, former]);
  const write = (path: string, text: string): void => {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  };
  write('whole/types.ts', await typesSource(whole, bundleOf(whole), 'a test'));
  const sources = clientSources({ image, model, whole, dir: 'whole' });
  expect(Object.keys(sources).sort()).toEqual(['fields.ts', 'grpc.ts', 'service.ts']);
  for (const [name, text] of Object.entries(sources)) write(`clients/v1/${name}`, text);
  write('use.ts', use);
  write('package.json', '{ "type": "module" }');
  for (const name of ['api.ts', 'operations.ts']) cpSync(join(root, 'src/gen', name), join(folder, name));
  const { compilerOptions } = await import('../../tsconfig.json', { with: { type: 'json' } }).then(
    (all) => all.default,
  );
  const typeRoots = [join(root, 'node_modules/@types')];
  write(
    'tsconfig.json',
    JSON.stringify({
      compilerOptions: { ...compilerOptions, noEmit: true, typeRoots, types: ['node'] },
      include: ['.'],
    }),
  );
  const tsc = join(root, 'node_modules/typescript/bin/tsc');
  expect(spawnSync(process.execPath, [tsc, '-p', folder, '--singleThreaded'], { encoding: 'utf8' }).stdout).toBe('');

  const { fields } = await import(pathToFileURL(join(folder, 'clients/v1/fields.ts')).href);
  const thing = { id: 'a', shortName: 'b', weight: '5', mood: 'MOOD_FINE', sides: [{ width: 1 }], added: 'c' };
  expect(decode({ fields }, 'test.v1.Thing', encode({ fields }, 'test.v1.Thing', thing))).toEqual(thing);
});

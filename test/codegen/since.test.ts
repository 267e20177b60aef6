import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type Bundle, bundleOf } from '../../codegen/bundle.ts';
import { fieldsSource } from '../../codegen/fields.ts';
import { guardsSource } from '../../codegen/guards.ts';
import { buildImage } from '../../codegen/image.ts';
import { describe, type Model } from '../../codegen/model.ts';
import { indexSource, operationsSource } from '../../codegen/operations.ts';
import { overlay } from '../../codegen/overlay.ts';
import { markedModel } from '../../codegen/since.ts';
import { versions as rows, versionProto } from '../../codegen/versions.ts';
import { narrowed, versions } from '../../src/dialects/a2a-1.x/versions.ts';
import type { Api } from '../../src/gen/api.ts';
import { decode, encode } from '../../src/wire/protobuf.ts';
import { normalize } from '../../src/wire/protojson.ts';
import { parseAs, violationsOf } from '../../src/wire/validate.ts';
import { canonicalJson, damaged } from '../support/arbitrary-json.ts';
import { newFolder } from '../support/folders.ts';
import { modelOf } from '../support/inline-proto.ts';

/** No code is generated for older versions of A2A 1.x. What the program has of them is held against the code that would be. */

const root = fileURLToPath(new URL('../..', import.meta.url));
const dir = newFolder();

/** Generates all code about one model, and loads it. */
async function generated(name: string, model: Model, bundle: Bundle = bundleOf(model)): Promise<Api> {
  const sources = {
    'api/fields.ts': fieldsSource(model, 'a test'),
    'api/guards.ts': guardsSource(model, bundle, 'a test'),
    'api/operations.ts': operationsSource(model, 'a test'),
    'api/index.ts': indexSource(model, 'a test'),
  };
  for (const [path, text] of Object.entries(sources)) {
    mkdirSync(dirname(join(dir, name, path)), { recursive: true });
    writeFileSync(join(dir, name, path), text);
  }
  symlinkSync(join(root, 'src/gen/checks.ts'), join(dir, name, 'checks.ts'));
  return (await import(pathToFileURL(join(dir, name, 'api/index.ts')).href)).api;
}

/** Holds what the program has of a version against the code that is generated about that version alone. */
function expectSame(own: Api, whole: Api, newest: Api): void {
  const { guards, ...tables } = whole;
  expect(own).toMatchObject(tables);
  expect(own.fields).toEqual(whole.fields);
  expect(own.operations).toEqual(whole.operations);
  expect(Object.keys(own.guards)).toEqual(Object.keys(guards));
  const names = fc.constantFrom(...Object.keys(whole.fields.messages).filter((name) => !name.endsWith('.Tree')));
  const valid = names.chain((name) => fc.tuple(fc.constant(name), canonicalJson(whole, name)));
  fc.assert(
    fc.property(valid, ([name, json]) => {
      const bytes = encode(whole, name, json);
      expect(encode(own, name, json)).toEqual(bytes);
      expect(parseAs(own, name, decode(own, name, bytes))).toEqual(json);
    }),
  );
  // What callers send may be of the newest version, and wrong.
  const sent = names.chain((name) => fc.tuple(fc.constant(name), canonicalJson(newest, name).chain(damaged)));
  let refused = 0;
  fc.assert(
    fc.property(sent, ([name, json]) => {
      const canonical = normalize(whole, name, json);
      expect(normalize(own, name, json)).toEqual(canonical);
      const isValid = whole.guards[name]?.(canonical);
      expect(own.guards[name]?.(canonical)).toBe(isValid);
      if (!isValid) refused++;
    }),
    { numRuns: 1000 },
  );
  expect(refused).toBeGreaterThan(50);
}

test.each(rows.slice(1).map(({ name }) => name))('%s is what its proto says', async (name) => {
  const image = buildImage(join(root, 'proto'), name);
  const own = versions.find((version) => version.name === name)?.api ?? expect.fail(`no ${name}`);
  const whole = await generated(name, describe(image, `${name}/${versionProto}`, overlay));
  expectSame(own, whole, versions[0]?.api ?? own);
});

const older = `service S {
  rpc Get(Request) returns (Thing) { option (google.api.http) = { get: "/things/{id}" }; }
}
message Request { string id = 1; }
message Thing {
  string id = 1 [(google.api.field_behavior) = REQUIRED];
  Mood mood = 2 [(google.api.field_behavior) = REQUIRED];
  repeated Mood moods = 3;
  map<string, Side> sides = 4;
  oneof content { string text = 5; Side inner = 6; }
}
message Tree { repeated Tree below = 1; repeated Mood moods = 2; }
message Side { Mood mood = 1 [(google.api.field_behavior) = REQUIRED]; }
enum Mood { MOOD_UNSPECIFIED = 0; MOOD_GOOD = 1; }`;
const changes: readonly [from: string, to: string][] = [
  ['get: "/things/{id}"', 'get: "/things/{id}" additional_bindings { get: "/thing/{id}" }'],
  ['message Request {', 'message Request { int64 after = 2;'],
  ['oneof content {', 'oneof content { Shade shade = 7;'],
  ['map<string, Side>', 'optional Colour colour = 8; map<int32, Shade> shades = 9; map<string, Side>'],
  ['MOOD_GOOD = 1;', 'MOOD_GOOD = 1; MOOD_BAD = 2;'],
  ['rpc Get(', 'rpc Put(Thing) returns (Shade); rpc Get('],
];
const newer = `${changes.reduce((text, [from, to]) => text.replace(from, to), older)}
message Shade { Colour colour = 1 [(google.api.field_behavior) = REQUIRED]; }
enum Colour { COLOUR_UNSPECIFIED = 0; COLOUR_RED = 1; }`;

const [newest] = rows;

test('an older version has nothing that came later: operations, rules, messages, fields, members, enums and values', async () => {
  const marked = markedModel([modelOf(newer), modelOf(older)]);
  const whole = await generated('older', modelOf(older));
  const all = await generated('newer', marked);
  const own = narrowed(all, [newest.version]);
  expectSame(own, whole, all);
  expect(narrowed(all, [])).toBe(all);
  const thing = { id: 'a', mood: 'MOOD_GOOD', moods: ['MOOD_BAD'], sides: { x: { mood: 'MOOD_BAD' } } };
  expect(violationsOf(all, 'test.v1.Thing', thing)).toEqual([]);
  expect(violationsOf(own, 'test.v1.Thing', thing)).toEqual([
    { field: 'moods[0]', description: 'must be one of MOOD_UNSPECIFIED, MOOD_GOOD' },
    { field: 'sides.x.mood', description: 'must be one of MOOD_GOOD' },
  ]);
  const tree = { moods: ['MOOD_GOOD'], below: [{ below: [{ moods: ['MOOD_BAD'] }] }] };
  expect(violationsOf(own, 'test.v1.Tree', tree)).toMatchObject([{ field: 'below[0].below[0].moods[0]' }]);
  expect(own.guards['test.v1.Request']).toBe(all.guards['test.v1.Request']);
});

test.each([
  [
    'a field that only the older one has',
    'string id = 1; }',
    'string name = 2; }',
    'a2a-1.0 has test.v1.Request.id, which a2a-1.1 lacks',
  ],
  ['a field of another type', 'string id = 1; }', 'int64 id = 1; }', 'test.v1.Request.id is not the same in a2a-1.1'],
  ['a field in a oneof', 'string id = 1; }', 'oneof one { string id = 1; } }', 'test.v1.Request.id is not the same'],
  ['another number of a value', 'MOOD_GOOD = 1', 'MOOD_GOOD = 7', 'test.v1.Mood.MOOD_GOOD is not the same'],
  ['another path', '"/things/{id}"', '"/all/{id}"', 'a2a-1.0 has test.v1.S.Get GET /things/{id}, which a2a-1.1 lacks'],
  ['another answer', 'returns (Thing)', 'returns (Request)', 'test.v1.S.Get is not the same'],
  [
    'a required field that messages of the older one cannot have',
    'message Request {',
    'message Request { string place = 9 [(google.api.field_behavior) = REQUIRED];',
    'test.v1.Request.place is required, and older versions lack it',
  ],
])('%s fails', (_, from, to, message) => {
  const changed = older.replace(from, to);
  expect(changed).not.toBe(older);
  expect(() => markedModel([modelOf(changed), modelOf(older)])).toThrow(message);
});

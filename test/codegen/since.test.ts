import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { buildImage } from '../../codegen/image.ts';
import { describe } from '../../codegen/model.ts';
import { overlay } from '../../codegen/overlay.ts';
import { markedModel } from '../../codegen/since.ts';
import { versions as rows, versionProto } from '../../codegen/versions.ts';
import { narrowed } from '../../src/dialects/a2a-1.x/narrowed.ts';
import { versions } from '../../src/dialects/a2a-1.x/versions.ts';
import { violationsOf } from '../../src/wire/validate.ts';
import { expectSame, generated } from '../support/generated-api.ts';
import { modelOf } from '../support/inline-proto.ts';

/**
 * No code is generated for older versions of A2A 1.x. The program derives them from the newest; the tests compare them with
 * the code that would be generated.
 */

const root = fileURLToPath(new URL('../..', import.meta.url));

test.each(rows.slice(1).map(({ name }) => name))('the version %s is what its proto says', async (name) => {
  const image = buildImage(join(root, 'proto'), name);
  const own = versions.find((version) => version.name === name)?.api ?? expect.fail(`no ${name}`);
  const whole = await generated(describe(image, `${name}/${versionProto}`, overlay));
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
  const whole = await generated(modelOf(older));
  const all = await generated(marked);
  const own = narrowed(all, { version: rows[1]?.version ?? '', newer: [newest.version] });
  expectSame(own, whole, all);
  expect(narrowed(all, { version: newest.version, newer: [] })).toBe(all);
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
    'a number that another field has',
    'string id = 1; }',
    'int64 size = 1; }',
    'test.v1.Request.id of type string and size of type int64 have the number 1: protobuf messages would be misread',
  ],
  ['another number of a field', 'string id = 1; }', 'string id = 3; }', 'test.v1.Request.id has the numbers 3 and 1'],
  ['another number of a value', 'MOOD_GOOD = 1', 'MOOD_GOOD = 7', 'test.v1.Mood.MOOD_GOOD has the numbers 1 and 7'],
  [
    'another answer',
    'returns (Thing)',
    'returns (Request)',
    'test.v1.S.Get does not take and return the same in a2a-1.1',
  ],
  ['another service', 'service S {', 'service Z {', 'the service has several names: test.v1.Z, test.v1.S'],
])('a version with %s is refused', (_, from, to, message) => {
  const changed = older.replace(from, to);
  expect(changed).not.toBe(older);
  expect(() => markedModel([modelOf(changed), modelOf(older)])).toThrow(message);
});

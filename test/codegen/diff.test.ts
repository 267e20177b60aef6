import { expect, test, vi } from 'vitest';
import { changeLine, compareProtos } from '../../codegen/update/diff.ts';
import { imageOf } from '../support/inline-proto.ts';
import { paced } from '../support/pace.ts';

// A compiler runs here, on machines that may be busy.
vi.setConfig({ testTimeout: paced(120_000) });

const base = `service S {
  rpc Get(Ask) returns (Thing) { option (google.api.http) = { get: "/things/{id=*}" }; }
  rpc Watch(Ask) returns (stream Thing) { option (google.api.http) = { get: "/things/{id=*}:watch" }; }
}
message Ask { string id = 1; string tenant = 2; }
message Thing {
  string id = 1;
  string owner_name = 2;
  int32 size = 3;
  Kind kind = 4;
  repeated Part parts = 5;
  oneof content { string text = 6; bytes raw = 7; }
  Part first = 8;
}
message Part { string a = 1; string b = 2; int32 c = 3; }
message Other { bool x = 1; }
enum Kind { KIND_UNSPECIFIED = 0; KIND_GOOD = 1; KIND_BAD = 2; }
`;

/** Compiled images by their text: most tests change one proto. */
const images = new Map<string, ReturnType<typeof imageOf>>();

function compare(before: string, after: string) {
  const [a, b] = [before, after].map((body) => {
    const image = images.get(body) ?? imageOf(body);
    images.set(body, image);
    const { registry } = image;
    const file = registry.getFile('test.proto');
    if (!file) throw new Error('the proto is missing');
    return { file, registry };
  });
  if (!a || !b) throw new Error('both are given');
  return compareProtos(a, b);
}

/** Replaces texts of the base, each of which must be there. */
function edited(...edits: readonly (readonly [from: string, to: string])[]): string {
  return edits.reduce((text, [from, to]) => {
    if (!text.includes(from)) throw new Error(`the proto has no ${from}`);
    return text.replace(from, () => to);
  }, base);
}

const kinds: [string, string, string[], ('names' | 'numbers' | undefined)[]][] = [
  [
    'an added field',
    edited(['int32 size = 3;', 'int32 size = 3; optional int64 age = 9 [(google.api.field_behavior) = REQUIRED];']),
    ['added field Thing.age: optional int64, REQUIRED'],
    [undefined],
  ],
  ['a removed field', edited(['int32 size = 3;', '']), ['removed field Thing.size'], ['names']],
  [
    'a renamed field',
    edited(['owner_name = 2', 'holder_name = 2']),
    ['renamed field Thing.ownerName: holderName (a guess: number and type are the same)'],
    ['names'],
  ],
  [
    'a field that another type replaces is no renaming',
    edited(['string owner_name = 2', 'bool owned = 2']),
    ['added field Thing.owned: bool, with the number of ownerName', 'removed field Thing.ownerName'],
    ['numbers', 'names'],
  ],
  [
    'a field that another number replaces is no renaming',
    edited(['string owner_name = 2', 'string holder_name = 12']),
    ['added field Thing.holderName: string', 'removed field Thing.ownerName'],
    [undefined, 'names'],
  ],
  [
    'a retyped field',
    edited(['int32 size = 3', 'int64 size = 3']),
    ['retyped field Thing.size: int32 to int64'],
    ['names'],
  ],
  [
    'a field that becomes a list',
    edited(['int32 size = 3', 'repeated int32 size = 3']),
    ['retyped field Thing.size: int32 to repeated int32'],
    ['names'],
  ],
  [
    'a renumbered field',
    edited(['int32 size = 3', 'int32 size = 13']),
    ['renumbered field Thing.size: 3 to 13'],
    ['numbers'],
  ],
  [
    'a field with presence',
    edited(['int32 size = 3', 'optional int32 size = 3']),
    ['changed field Thing.size: now optional'],
    [undefined],
  ],
  [
    'options of a field',
    edited(['int32 size = 3', 'int32 size = 3 [deprecated = true, (google.api.field_behavior) = REQUIRED]']),
    ['changed field Thing.size: deprecated is true', 'changed field Thing.size: field_behavior is [REQUIRED]'],
    [undefined, undefined],
  ],
  [
    'an added message',
    edited(['message Other', 'message New { Thing thing = 1; } message Other']),
    ['added message New'],
    [undefined],
  ],
  ['a removed message', edited(['message Other { bool x = 1; }', '']), ['removed message Other'], ['names']],
  [
    'a renamed message',
    edited(['message Part', 'message Piece'], ['repeated Part', 'repeated Piece'], ['Part first', 'Piece first']),
    ['renamed message Part: Piece (a guess: the members are the same)'],
    ['names'],
  ],
  [
    'a message with other members is no renaming',
    edited(['message Other { bool x = 1; }', 'message Another { string y = 1; }']),
    ['added message Another', 'removed message Other'],
    [undefined, 'names'],
  ],
  [
    'an added enum',
    edited(['enum Kind', 'enum Mood { MOOD_UNSPECIFIED = 0; } enum Kind']),
    ['added enum Mood'],
    [undefined],
  ],
  [
    'an added enum value',
    edited(['KIND_BAD = 2;', 'KIND_BAD = 2; KIND_ODD = 3;']),
    ['added enum value Kind.KIND_ODD: 3'],
    [undefined],
  ],
  ['a removed enum value', edited(['KIND_BAD = 2;', '']), ['removed enum value Kind.KIND_BAD'], ['names']],
  [
    'a renamed enum value',
    edited(['KIND_BAD', 'KIND_POOR']),
    ['renamed enum value Kind.KIND_BAD: KIND_POOR (a guess: the number is the same)'],
    ['names'],
  ],
  [
    'a renumbered enum value',
    edited(['KIND_BAD = 2', 'KIND_BAD = 5']),
    ['renumbered enum value Kind.KIND_BAD: 2 to 5'],
    ['numbers'],
  ],
  [
    'a deprecated enum value',
    edited(['KIND_BAD = 2', 'KIND_BAD = 2 [deprecated = true]']),
    ['changed enum value Kind.KIND_BAD: deprecated is true'],
    [undefined],
  ],
  [
    'a oneof that grows',
    edited(['bytes raw = 7;', 'bytes raw = 7; string url = 9;']),
    ['added field Thing.url: string', 'changed oneof Thing.content: takes url besides text, raw'],
    [undefined, undefined],
  ],
  [
    'an added oneof',
    edited(['Part first = 8;', 'Part first = 8; oneof place { string here = 9; string there = 10; }']),
    ['added field Thing.here: string', 'added field Thing.there: string', 'added oneof Thing.place: here, there'],
    [undefined, undefined, undefined],
  ],
  [
    'a field that moves into a oneof',
    edited(['bytes raw = 7; }', 'bytes raw = 7; Part first = 8; }'], ['  Part first = 8;\n}', '}']),
    ['changed field Thing.first: now in oneof content', 'changed oneof Thing.content: takes first besides text, raw'],
    [undefined, undefined],
  ],
  [
    'a renamed oneof',
    edited(['oneof content', 'oneof body']),
    [
      'changed field Thing.text: now in oneof body',
      'changed field Thing.raw: now in oneof body',
      'renamed oneof Thing.content: body',
    ],
    [undefined, undefined, undefined],
  ],
  [
    'an added rpc',
    edited([
      'service S {',
      'service S {\n rpc Talk(stream Ask) returns (stream Thing) { option (google.api.http) = { post: "/talk" body: "*" }; }',
    ]),
    ['added rpc Talk: stream of Ask → stream of Thing; POST /talk, body *'],
    [undefined],
  ],
  [
    'a removed rpc',
    edited([
      '  rpc Watch(Ask) returns (stream Thing) { option (google.api.http) = { get: "/things/{id=*}:watch" }; }\n',
      '',
    ]),
    ['removed rpc Watch'],
    ['names'],
  ],
  [
    'a renamed rpc',
    edited(['rpc Watch(', 'rpc Follow(']),
    ['renamed rpc Watch: Follow (a guess: types or paths are the same)'],
    ['names'],
  ],
  [
    'a retyped rpc',
    edited(['rpc Get(Ask) returns (Thing)', 'rpc Get(Ask) returns (stream Thing)']),
    ['retyped rpc Get: Ask → Thing to Ask → stream of Thing'],
    ['names'],
  ],
  [
    'another verb',
    edited(['get: "/things/{id=*}:watch"', 'post: "/things/{id=*}:watch" body: "*"']),
    ['changed http rule Watch: GET /things/{id=*}:watch to POST /things/{id=*}:watch, body *'],
    [undefined],
  ],
  [
    'an added route',
    edited([
      'get: "/things/{id=*}" }',
      'get: "/things/{id=*}" additional_bindings { get: "/{tenant}/things/{id=*}" } }',
    ]),
    ['added http rule Get: GET /{tenant}/things/{id=*}'],
    [undefined],
  ],
  [
    'a removed route',
    edited(['{ option (google.api.http) = { get: "/things/{id=*}" }; }', '{}']),
    ['removed http rule Get: GET /things/{id=*}'],
    [undefined],
  ],
  [
    'a deprecated rpc',
    edited(['rpc Get(Ask) returns (Thing) {', 'rpc Get(Ask) returns (Thing) { option deprecated = true;']),
    ['changed rpc Get: deprecated is true'],
    [undefined],
  ],
  [
    'a field whose json_name is given',
    edited(['owner_name = 2', 'owner_name = 2 [json_name = "holder"]']),
    ['renamed field Thing.ownerName: holder (by json_name)'],
    ['names'],
  ],
  [
    'an rpc that moves to another service',
    edited([
      '  rpc Watch(Ask) returns (stream Thing) { option (google.api.http) = { get: "/things/{id=*}:watch" }; }\n}',
      '}\nservice T {\n  rpc Watch(Ask) returns (stream Thing) { option (google.api.http) = { get: "/things/{id=*}:watch" }; }\n}',
    ]),
    ['added service T', 'changed rpc Watch: path /test.v1.S/Watch to /test.v1.T/Watch'],
    [undefined, 'names'],
  ],
  [
    'an added service',
    `${base}service T { rpc Put(Ask) returns (Thing); }`,
    ['added service T', 'added rpc Put: Ask → Thing'],
    [undefined, undefined],
  ],
  [
    'comments, order and formatting alone',
    edited(
      ['message Other { bool x = 1; }\n', ''],
      ['message Ask', '// Another comment.\nmessage Other {\n\n  bool x=1;}\nmessage Ask'],
    ),
    [],
    [],
  ],
];

test.each(kinds)('the changes between two protos are listed: %s', (_, after, lines, breaks) => {
  const changes = compare(base, after);
  expect(changes.map(changeLine)).toEqual(lines);
  expect(changes.map((change) => change.breaks)).toEqual(breaks);
});

test('rpcs of the same name in two services are compared each with its own', () => {
  const two = `${base}service T { rpc Get(Other) returns (Other); }`;
  expect(compare(two, two)).toEqual([]);
  const changed = compare(two, two.replace('rpc Get(Other) returns (Other)', 'rpc Get(Other) returns (Part)'));
  expect(changed.map(changeLine)).toEqual(['retyped rpc Get: Other → Other to Other → Part']);
});

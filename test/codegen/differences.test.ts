import fc from 'fast-check';
import { beforeAll, describe, expect, test, vi } from 'vitest';
import { aligned } from '../../codegen/aligned.ts';
import { describe as describeImage, type Model } from '../../codegen/model.ts';
import { markedModel } from '../../codegen/since.ts';
import { versions } from '../../codegen/versions.ts';
import { versionCodecs } from '../../src/dialects/a2a-1.x/codecs.ts';
import { narrowed } from '../../src/dialects/a2a-1.x/narrowed.ts';
import type { Api } from '../../src/gen/api.ts';
import { canonicalJson } from '../support/arbitrary-json.ts';
import { noOverlay } from '../support/described-messages.ts';
import { expectSame, generated } from '../support/generated-api.ts';
import { imageOf, modelOf } from '../support/inline-proto.ts';
import { paced } from '../support/pace.ts';

/**
 * Whatever the newest version of A2A 1.x changes: the program has of it, and of the older one, what code about this version alone
 * would have, and brings values from one to the other.
 */

// Compilers run here, on machines that may be busy.
vi.setConfig({ testTimeout: paced(60_000), hookTimeout: paced(60_000) });

const [newest, older] = versions;
const places = {
  newer: { version: newest.version, newer: [] },
  older: { version: older?.version ?? '', newer: [newest.version] },
};

const base = `service S {
  rpc Get(Request) returns (Thing) {
    option (google.api.http) = { get: "/things/{id}" additional_bindings { get: "/thing/{id}" } };
  }
  rpc Watch(Request) returns (stream Thing) { option (google.api.http) = { get: "/things/{id}:watch" }; }
}
message Request { string id = 1; optional int32 size = 2; }
message Thing {
  string id = 1 [(google.api.field_behavior) = REQUIRED];
  Mood mood = 2 [(google.api.field_behavior) = REQUIRED];
  repeated Mood moods = 3;
  map<string, Side> sides = 4;
  oneof content { string text = 5; Side inner = 6; }
  string nick_name = 7;
  optional int32 weight = 8;
  Side front = 9;
  map<string, Mood> mood_of = 11;
  string made_by = 12;
}
message Side { Mood mood = 1 [(google.api.field_behavior) = REQUIRED]; int32 width = 2; string colour = 3; }
enum Mood { MOOD_UNSPECIFIED = 0; MOOD_GOOD = 1; MOOD_BAD = 2; }`;

type Json = Record<string, unknown>;

interface Versions {
  readonly canonical: Api;
  readonly newer: Api;
  readonly older: Api;
  /** Code that is generated about each alone. */
  readonly alone: { readonly newer: Api; readonly older: Api };
  readonly marked: Model;
}

const baseImage = imageOf(base);

async function versionsOf(changed: string): Promise<Versions> {
  const models = [modelOf(changed), describeImage(baseImage, 'test.proto', noOverlay)] as const;
  const [own, former] = aligned([...models]);
  const marked = markedModel([...models]);
  const [canonical, newerAlone, olderAlone] = await Promise.all(
    [marked, own, former as Model].map((one) => generated(one)),
  );
  if (!canonical || !newerAlone || !olderAlone) throw new Error('nothing was generated');
  return {
    canonical,
    newer: narrowed(canonical, places.newer),
    older: narrowed(canonical, places.older),
    alone: { newer: newerAlone, older: olderAlone },
    marked,
  };
}

const type = 'test.v1.Thing';
const codecOf = (canonical: Api, own: Api, place: { readonly version: string }) =>
  versionCodecs(canonical, own, place.version).alone<Json>(type);

/** A value of one version in another one, and what it loses on the way. */
function passed(
  { canonical, newer, older }: Versions,
  from: 'newer' | 'older',
  value: Json,
): { to: unknown; losses: string[] } {
  const losses = new Set<string>();
  const codecs = { newer: codecOf(canonical, newer, places.newer), older: codecOf(canonical, older, places.older) };
  const inMemory = codecs[from].decode(value, { losses: new Set() });
  const to = codecs[from === 'newer' ? 'older' : 'newer'].encode(inMemory, { losses });
  return { to, losses: [...losses] };
}

const thing = { id: 'a', mood: 'MOOD_GOOD' };
const a = (members: Json): Json => ({ ...thing, ...members });
const [bad, sad] = [{ mood: 'MOOD_BAD' }, { mood: 'MOOD_SAD' }];
const lineOf = (start: string): string =>
  base.split(/(?<=\n)/).find((line) => line.trimStart().startsWith(start)) ?? '';

/** A kind of change; values of the newer and of the older version that mean the same, or that lose something. */
interface Kind {
  readonly title: string;
  /** Replacements in the older proto. */
  readonly changes: readonly (readonly [from: string, to: string])[];
  /** Values of the newer version are lost, until a person says what becomes of them. */
  readonly unwritten?: true;
  /** The value in the older version, and in the newer one. */
  readonly both?: readonly (readonly [older: Json, newer: Json])[];
  readonly toNewer?: readonly (readonly [older: Json, newer: Json, losses: readonly string[]])[];
  readonly toOlder?: readonly (readonly [newer: Json, older: Json, losses: readonly string[]])[];
}

const kinds: readonly Kind[] = [
  { title: 'another path', changes: [['{ get: "/things/{id}" add', '{ get: "/all/{id}" add']] },
  { title: 'another verb', changes: [['{ get: "/things/{id}" add', '{ post: "/things/{id}" body: "*" add']] },
  { title: 'a rule that is gone', changes: [[' additional_bindings { get: "/thing/{id}" }', '']] },
  {
    title: 'rules in another order',
    changes: [
      [
        'get: "/things/{id}" additional_bindings { get: "/thing/{id}" }',
        'get: "/thing/{id}" additional_bindings { get: "/things/{id}" }',
      ],
    ],
  },
  { title: 'an rpc that is gone', changes: [[lineOf('rpc Watch'), '']] },
  { title: 'an rpc with another name', changes: [['rpc Watch(', 'rpc Follow(']] },
  {
    title: 'a field that is gone',
    changes: [['  string nick_name = 7;\n', '']],
    toNewer: [[a({ nickName: 'n' }), thing, ['nickName']]],
    toOlder: [[a({ nickName: 'n' }), thing, []]],
  },
  {
    title: 'a field with another name',
    changes: [['nick_name = 7', 'short_name = 7']],
    both: [[a({ nickName: 'n' }), a({ shortName: 'n' })]],
  },
  {
    title: 'a required field with another name',
    changes: [['string id = 1 [', 'string key = 1 [']],
    both: [[thing, { key: 'a', mood: 'MOOD_GOOD' }]],
  },
  {
    title: 'a message field with another name, whose fields have other names too',
    changes: [
      ['Side front = 9', 'Side face = 9'],
      ['int32 width = 2', 'int32 breadth = 2'],
    ],
    both: [
      [
        a({ front: { ...bad, width: 3 }, sides: { a: { ...bad, width: 1 } } }),
        a({ face: { ...bad, breadth: 3 }, sides: { a: { ...bad, breadth: 1 } } }),
      ],
    ],
  },
  {
    title: 'an integer with more bits',
    changes: [['optional int32 weight = 8', 'optional int64 weight = 8']],
    both: [[a({ weight: 7 }), a({ weight: '7' })]],
    toOlder: [[a({ weight: '9007199254740993' }), thing, ['weight']]],
  },
  {
    title: 'an integer that becomes a text',
    changes: [['optional int32 weight = 8', 'optional string weight = 8']],
    both: [[a({ weight: 7 }), a({ weight: '7' })]],
    toOlder: [[a({ weight: 'heavy' }), thing, ['weight']]],
  },
  {
    title: 'an integer that becomes a fraction',
    changes: [['optional int32 weight = 8', 'optional double weight = 8']],
    both: [[a({ weight: 7 }), a({ weight: 7 })]],
    toOlder: [[a({ weight: 7.5 }), thing, ['weight']]],
  },
  {
    title: 'a field that becomes a list',
    changes: [['string made_by = 12', 'repeated string made_by = 12']],
    both: [[a({ madeBy: 'a' }), a({ madeBy: ['a'] })]],
    toOlder: [[a({ madeBy: ['a', 'b'] }), a({ madeBy: 'a' }), ['madeBy']]],
  },
  {
    title: 'a list that becomes one',
    changes: [['repeated Mood moods = 3', 'Mood moods = 3']],
    both: [[a({ moods: ['MOOD_BAD'] }), a({ moods: 'MOOD_BAD' })]],
    toNewer: [[a({ moods: ['MOOD_BAD', 'MOOD_GOOD'] }), a({ moods: 'MOOD_BAD' }), ['moods']]],
  },
  {
    title: 'a message that becomes a list',
    changes: [['Side front = 9', 'repeated Side front = 9']],
    both: [[a({ front: bad }), a({ front: [bad] })]],
  },
  {
    title: 'a type that no rule converts',
    changes: [['optional int32 weight = 8', 'Side weight = 8']],
    unwritten: true,
    toNewer: [[a({ weight: 7 }), thing, ['weight']]],
    toOlder: [[a({ weight: bad }), thing, []]],
  },
  {
    title: 'a value of an enum that is gone',
    changes: [[' MOOD_BAD = 2;', '']],
    toNewer: [
      [a({ moods: ['MOOD_BAD', 'MOOD_GOOD'] }), a({ moods: ['MOOD_GOOD'] }), ['moods']],
      [a({ mood: 'MOOD_BAD' }), a({ mood: 'MOOD_UNSPECIFIED' }), ['mood']],
      [a({ moodOf: { a: 'MOOD_BAD', b: 'MOOD_GOOD' } }), a({ moodOf: { b: 'MOOD_GOOD' } }), ['moodOf']],
    ],
  },
  {
    title: 'a value of an enum that is new',
    changes: [['MOOD_BAD = 2;', 'MOOD_BAD = 2; MOOD_BEST = 3;']],
    toOlder: [[a({ moods: ['MOOD_BEST'] }), a({ moods: [] }), ['moods']]],
  },
  {
    title: 'a value of an enum with another name',
    changes: [['MOOD_BAD = 2', 'MOOD_SAD = 2']],
    both: [
      [
        { id: 'a', ...bad, moods: ['MOOD_GOOD', 'MOOD_BAD'], moodOf: { a: 'MOOD_BAD' }, inner: bad },
        { id: 'a', ...sad, moods: ['MOOD_GOOD', 'MOOD_SAD'], moodOf: { a: 'MOOD_SAD' }, inner: sad },
      ],
    ],
  },
  {
    title: 'an enum with another name',
    changes: [
      ['Mood mood', 'Spirit mood'],
      ['Mood> mood', 'Spirit> mood'],
      ['enum Mood', 'enum Spirit'],
    ],
    both: [[thing, thing]],
  },
  {
    title: 'a branch of a oneof that is new',
    changes: [['oneof content {', 'oneof content { int32 count = 20;']],
    toOlder: [[a({ count: 3 }), thing, ['count']]],
  },
  {
    title: 'a branch of a oneof that is gone',
    changes: [[' Side inner = 6;', '']],
    toNewer: [[a({ inner: bad }), thing, ['inner']]],
  },
  {
    title: 'a oneof with another name',
    changes: [['oneof content', 'oneof payload']],
    both: [[a({ text: 'a' }), a({ text: 'a' })]],
  },
  {
    title: 'fields that become branches of a oneof',
    changes: [
      ['string nick_name = 7;', 'oneof called { string nick_name = 7;'],
      ['optional int32 weight = 8;', 'int32 weight = 8; }'],
    ],
    both: [[a({ weight: 1 }), a({ weight: 1 })]],
    toNewer: [[a({ nickName: 'n', weight: 1 }), a({ nickName: 'n' }), ['weight']]],
  },
  {
    title: 'branches that a oneof loses to the message',
    changes: [['oneof content { string text = 5; Side inner = 6; }', 'string text = 5; Side inner = 6;']],
    toOlder: [[a({ text: 't', inner: bad }), a({ text: 't' }), ['inner']]],
  },
  {
    title: 'a message with maps',
    changes: [
      [
        'message Side {',
        'message Atlas { map<string, Side> sides = 1; map<int32, Mood> moods = 2; map<string, string> names = 3; }\nmessage Side {',
      ],
      ['string made_by = 12;', 'string made_by = 12; Atlas atlas = 13;'],
    ],
    toOlder: [[a({ atlas: { sides: { a: bad }, names: { a: 'b' } } }), thing, ['atlas']]],
  },
  {
    title: 'a message that is gone',
    changes: [
      ['  map<string, Side> sides = 4;\n', ''],
      [' Side inner = 6;', ''],
      ['  Side front = 9;\n', ''],
      [lineOf('message Side'), ''],
    ],
    toNewer: [[a({ front: bad }), thing, ['front']]],
  },
  {
    title: 'a message with another name',
    changes: [
      ['map<string, Side>', 'map<string, Edge>'],
      ['Side inner', 'Edge inner'],
      ['Side front', 'Edge front'],
      ['message Side', 'message Edge'],
    ],
    both: [[a({ front: bad }), a({ front: bad })]],
  },
  {
    title: 'a field that becomes required',
    changes: [['string made_by = 12;', 'string made_by = 12 [(google.api.field_behavior) = REQUIRED];']],
    both: [[a({ madeBy: 'm' }), a({ madeBy: 'm' })]],
  },
  {
    title: 'a new field that is required',
    changes: [
      ['string made_by = 12;', 'string made_by = 12; string place = 13 [(google.api.field_behavior) = REQUIRED];'],
    ],
    toNewer: [[thing, a({ place: '' }), []]],
    toOlder: [[a({ place: 'p' }), thing, ['place']]],
  },
  {
    title: 'new fields that are required, of every kind that has a default, also in messages below',
    changes: [
      [
        'string made_by = 12;',
        `string made_by = 12; ${[
          ...['Mood second = 13', 'int64 long = 14', 'bool is = 15', 'bytes raw = 16', 'double half = 17'],
          ...['repeated Side all = 18', 'map<string, Side> by = 19', 'google.protobuf.Struct any = 20'],
        ]
          .map((field) => `${field} [(google.api.field_behavior) = REQUIRED];`)
          .join(' ')}`,
      ],
      ['string colour = 3;', 'string colour = 3; string shade = 4 [(google.api.field_behavior) = REQUIRED];'],
    ],
    toNewer: [
      [
        a({ front: { mood: 'MOOD_BAD' } }),
        a({
          front: { mood: 'MOOD_BAD', shade: '' },
          second: 'MOOD_UNSPECIFIED',
          long: '0',
          is: false,
          raw: '',
          half: 0,
          all: [],
          by: {},
          any: {},
        }),
        [],
      ],
    ],
  },
  {
    title: 'new messages and times that are required, which have no default',
    changes: [
      [
        'string made_by = 12;',
        'string made_by = 12; Side back = 13 [(google.api.field_behavior) = REQUIRED]; google.protobuf.Timestamp at = 14 [(google.api.field_behavior) = REQUIRED];',
      ],
    ],
    toNewer: [[thing, thing, []]],
  },
  {
    title: 'a required field of which the newer version has another type that may not fit',
    changes: [['string nick_name = 7;', 'int32 nick_name = 7 [(google.api.field_behavior) = REQUIRED];']],
    toNewer: [
      [thing, a({ nickName: 0 }), []],
      [a({ nickName: '5' }), a({ nickName: 5 }), []],
      [a({ nickName: 'x' }), a({ nickName: 0 }), ['nickName']],
    ],
  },
  {
    title: 'a field that is not required any more',
    changes: [['string id = 1 [(google.api.field_behavior) = REQUIRED]', 'string id = 1']],
    both: [[thing, thing]],
  },
  {
    title: 'a field that gets a presence, and one that loses it',
    changes: [
      ['string made_by = 12', 'optional string made_by = 12'],
      ['optional int32 weight', 'int32 weight'],
    ],
    both: [[a({ madeBy: 'm', weight: 1 }), a({ madeBy: 'm', weight: 1 })]],
  },
];

describe.each(kinds)('$title', ({ changes, unwritten, both = [], toNewer = [], toOlder = [] }) => {
  let all: Versions;
  beforeAll(async () => {
    const changed = changes.reduce((text, [from, to]) => {
      expect(text).toContain(from);
      return text.replaceAll(from, to);
    }, base);
    all = await versionsOf(changed);
  });

  test.each(['older', 'newer'] as const)('the %s version is what its proto says', (which) => {
    expectSame(all[which], all.alone[which], all.alone.newer);
  });

  test.each(['older', 'newer'] as const)('whatever the %s version says comes back as it was', (which) => {
    const codec = codecOf(all.canonical, all[which], places[which]);
    fc.assert(
      fc.property(canonicalJson(all.alone[which], type), (json) => {
        const losses = new Set<string>();
        const inMemory = codec.decode(json, { losses });
        if (unwritten && which === 'newer' && 'weight' in json) return;
        expect(codec.encode(inMemory, { losses })).toEqual(json);
        expect([...losses]).toEqual([]);
      }),
      { numRuns: 30 },
    );
  });

  test('values pass in both directions, and losses are named', () => {
    const expected = [
      ...both.flatMap(([before, after]) => [
        ['older', before, after, []] as const,
        ['newer', after, before, []] as const,
      ]),
      ...toNewer.map(([before, after, losses]) => ['older', before, after, losses] as const),
      ...toOlder.map(([after, before, losses]) => ['newer', after, before, losses] as const),
    ];
    for (const [from, value, to, losses] of expected) expect(passed(all, from, value)).toEqual({ to, losses });
  });
});

test('a version that changes nothing is the canonical form itself', async () => {
  const { canonical, newer } = await versionsOf(
    base.replace('string made_by = 12;', 'string made_by = 12; int32 size = 13;'),
  );
  expect(newer).toBe(canonical);
  expect(versionCodecs(canonical, newer).losses(type)).toEqual([]);
});

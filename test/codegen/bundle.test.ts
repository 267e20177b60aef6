import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { bundleOf, readBundle } from '../../codegen/bundle.ts';
import { disagreements } from '../../codegen/check.ts';
import { buildImage } from '../../codegen/image.ts';
import { describe as describeProto } from '../../codegen/model.ts';
import { overlay } from '../../codegen/overlay.ts';
import { noOverlay } from '../support/described-messages.ts';
import { modelOf } from '../support/inline-proto.ts';

const int = { anyOf: [{ type: 'integer', minimum: -2147483648, maximum: 2147483647 }, { type: 'string' }] };
const kind = {
  title: 'Some Kind',
  anyOf: [{ type: 'string', pattern: '^KIND_UNSPECIFIED$' }, { type: 'string', enum: ['KIND_GOOD'] }, int.anyOf[0]],
};
const definitions = {
  Struct: { title: 'Struct', type: 'object' },
  'Big Thing': {
    title: 'Big Thing',
    description: 'A thing.\n(-- api-linter: off --)\n It is big.',
    type: 'object',
    additionalProperties: false,
    patternProperties: { '^(display_name)$': { type: 'string' } },
    properties: {
      displayName: { type: 'string', description: 'Its name.' },
      size: int,
      kinds: { type: 'array', items: kind },
      raw: { type: 'string', pattern: '^[A-Za-z0-9+/]*={0,2}$' },
      meta: { $ref: 'google.protobuf.Struct.jsonschema.json', description: 'Free.' },
      data: { $ref: 'google.protobuf.Value.jsonschema.json' },
      parts: { type: 'object', additionalProperties: { $ref: 'test.v1.Part.jsonschema.json' } },
      yes: { type: 'boolean' },
    },
  },
  Part: { title: 'Part', type: 'object', properties: {} },
};

const proto = `service S { rpc Get(BigThing) returns (Part); }
message BigThing {
  string display_name = 1;
  int32 size = 2;
  repeated SomeKind kinds = 3;
  bytes raw = 4;
  google.protobuf.Struct meta = 5;
  google.protobuf.Value data = 6;
  map<string, Part> parts = 7;
  bool yes = 8;
}
message Part {}
enum SomeKind { KIND_UNSPECIFIED = 0; KIND_GOOD = 1; }`;

const model = modelOf(proto);

test('a bundle is read into the vocabulary of the model', () => {
  const bundle = readBundle({ definitions }, model);
  expect(bundle.messages[0]).toEqual({
    name: 'BigThing',
    description: 'A thing.\n\nIt is big.',
    aliases: ['display_name'],
    fields: [
      { jsonName: 'displayName', kind: 'scalar', type: 'string', description: 'Its name.' },
      { jsonName: 'size', kind: 'scalar', type: 'int32' },
      { jsonName: 'kinds', kind: 'enum', type: 'SomeKind', repeated: true },
      { jsonName: 'raw', kind: 'bytes', type: 'bytes' },
      { jsonName: 'meta', kind: 'struct', type: 'google.protobuf.Struct', description: 'Free.' },
      { jsonName: 'data', kind: 'value', type: 'google.protobuf.Value' },
      { jsonName: 'parts', kind: 'map', type: 'Part', valueKind: 'message' },
      { jsonName: 'yes', kind: 'scalar', type: 'bool' },
    ],
  });
  expect(bundle.enums).toEqual([{ name: 'SomeKind', values: ['KIND_GOOD'] }]);
});

test.each([
  [null, 'no definitions'],
  [{}, 'no definitions'],
])('%j is no bundle and is refused, with the place', (json, message) => {
  expect(() => readBundle(json, model)).toThrow(message);
});

describe('agreement', () => {
  test('the proto and the schema agree, and so do the facts derived from the proto', () => {
    expect(disagreements(model, readBundle({ definitions }, model), noOverlay)).toEqual([]);
    expect(disagreements(model, bundleOf(model), noOverlay)).toEqual([]);
  });

  const changed = (change: (properties: Record<string, object>, all: Record<string, object>) => void) => {
    const copy = structuredClone(definitions);
    change(copy['Big Thing'].properties as Record<string, object>, copy as Record<string, object>);
    return disagreements(model, readBundle({ definitions: copy }, model), noOverlay).map(
      ({ at, says }) => `${at}: ${says}`,
    );
  };

  test.each<[string, Parameters<typeof changed>[0], string[]]>([
    [
      'a field that only the proto has',
      (p) => {
        delete p.size;
      },
      ['BigThing.size: only in the proto'],
    ],
    [
      'a field that only the schema has',
      (p) => {
        p.extra = { type: 'string' };
      },
      ['BigThing.extra: only in the schema'],
    ],
    [
      'another type',
      (p) => {
        p.size = { type: 'string' };
      },
      ['BigThing.size: proto has int32, schema has string'],
    ],
    [
      'one for many',
      (p) => {
        p.kinds = kind;
      },
      ['BigThing.kinds: proto has repeated SomeKind, schema has SomeKind'],
    ],
    [
      'a reference to another package',
      (p) => {
        p.size = { $ref: 'other.v1.B.jsonschema.json' };
      },
      ['BigThing.size: proto has int32, schema has {"$ref":"other.v1.B.jsonschema.json"}'],
    ],
    [
      'a type that no field has',
      (p) => {
        p.size = { type: 'null', description: 'Nothing.' };
      },
      ['BigThing.size: proto has int32, schema has {"type":"null"}'],
    ],
    [
      'an integer of no range',
      (p) => {
        p.size = { type: 'integer' };
      },
      ['BigThing.size: proto has int32, schema has {"type":"integer"}'],
    ],
    [
      'an object with no members',
      (p) => {
        p.size = { type: 'object' };
      },
      ['BigThing.size: proto has int32, schema has {"type":"object"}'],
    ],
    [
      'a choice that no field has',
      (p) => {
        p.size = { anyOf: [{ type: 'integer', maximum: 7 }] };
      },
      ['BigThing.size: proto has int32, schema has {"anyOf":[{"type":"integer","maximum":7}]}'],
    ],
    [
      'a list of lists',
      (p) => {
        p.size = { type: 'array', items: { type: 'array', items: { type: 'string' } } };
      },
      [
        'BigThing.size: proto has int32, schema has {"type":"array","items":{"type":"array","items":{"type":"string"}}}',
      ],
    ],
    [
      'a definition that is no message',
      (p, all) => {
        p.parts = { type: 'object', additionalProperties: { $ref: 'Part' } };
        all.Part = { title: 'Part', type: 'string' };
      },
      ['Part: proto has a message, schema has {"title":"Part","type":"string"}'],
    ],
    [
      'a map of something else',
      (p) => {
        p.parts = { type: 'object', additionalProperties: { type: 'string' } };
      },
      ['BigThing.parts: proto has map of Part, schema has map of string'],
    ],
    [
      'a missing enum value',
      (p) => {
        p.kinds = { type: 'array', items: { ...kind, anyOf: [{ enum: ['KIND_BAD'] }] } };
      },
      ['SomeKind.KIND_BAD: only in the schema', 'SomeKind.KIND_GOOD: only in the proto'],
    ],
    [
      'a missing message',
      (p, all) => {
        delete all.Part;
        delete p.parts;
      },
      ['BigThing.parts: only in the proto', 'Part: only in the proto'],
    ],
    [
      'a missing alias',
      (_, all) => {
        all['Big Thing'] = { ...all['Big Thing'], patternProperties: {} };
      },
      ['BigThing: proto names are display_name; the schema admits none'],
    ],
  ])('a disagreement of the proto and the schema is named: %s', (_, change, expected) => {
    expect(changed(change)).toEqual(expected);
  });

  test('the overlay explains a difference of the proto and the schema', () => {
    const says = 'proto has int32, schema has string';
    const overlay = { ...noOverlay, disagreements: [{ at: 'test.v1.BigThing.size', says, source: 'a test' }] };
    const copy = structuredClone(definitions) as { 'Big Thing': { properties: Record<string, object> } };
    copy['Big Thing'].properties.size = { type: 'string' };
    expect(disagreements(model, readBundle({ definitions: copy }, model), overlay)).toEqual([]);
  });
});

test('the published bundle has 44 messages besides the well-known types and the enums in their places', () => {
  const json = JSON.parse(readFileSync(new URL('../../codegen/schemas/a2a-1.1.json', import.meta.url), 'utf8'));
  const image = buildImage(fileURLToPath(new URL('../../proto', import.meta.url)));
  const bundle = readBundle(json, describeProto(image, 'a2a-1.1/lf/a2a/v1/a2a.proto', overlay));
  expect(bundle.messages).toHaveLength(44);
  expect(bundle.enums.map(({ name }) => name).sort()).toEqual(['Role', 'TaskState']);
});

describe('what the A2A project has published', () => {
  const image = buildImage(fileURLToPath(new URL('../../proto', import.meta.url)));
  const v1 = describeProto(image, 'a2a-1.1/lf/a2a/v1/a2a.proto', overlay);
  const text = readFileSync(new URL('../../codegen/schemas/a2a-1.1.json', import.meta.url), 'utf8');

  test('every rpc that the A2A project has published has a meaning, and every rule is served', () => {
    expect(v1.notes).toEqual([]);
  });

  test('what the A2A project has published its bundle may have definitions by type name in $defs, as since August 2026', () => {
    const { definitions: byTitle, ...head } = JSON.parse(
      text.replace(/"(?:lf\.a2a\.v1|google\.protobuf)\.(\w+)\.jsonschema\.json"/g, '"#/$defs/$1"'),
    );
    const $defs = Object.fromEntries(Object.entries(byTitle).map(([title, one]) => [title.replaceAll(' ', ''), one]));
    const bundle = readBundle({ ...head, $defs }, v1);
    expect(disagreements(v1, bundle, overlay)).toEqual([]);
    expect(bundle).toEqual(readBundle(JSON.parse(text), v1));
  });
});

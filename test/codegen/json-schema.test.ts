import { expect, test } from 'vitest';
import { schemaFiles } from '../../codegen/json-schema.ts';

const generate = (definitions: object) => schemaFiles({ definitions }, 'codegen/schemas/small.json');

test('definitions become types and tables of shapes', async () => {
  const files = await generate({
    Colour: { enum: ['red', "o'clock"] },
    Point: {
      description: 'A place.',
      type: 'object',
      properties: {
        kind: { const: 'point' },
        at: { type: 'array', items: { type: 'number' }, minItems: 1 },
        colour: { $ref: '#/definitions/Colour' },
        note: { type: ['string', 'null'], description: 'Of the owner.' },
        link: { type: 'string', pattern: '^https://' },
        more: { type: 'object' },
        any: {},
      },
      required: ['at'],
    },
    Either: { anyOf: [{ $ref: '#/definitions/Point' }, { type: 'string', minLength: 1 }] },
  });
  const types = files['types.ts'] ?? '';
  expect(types).toContain('/** A place. */\nexport interface Point {');
  for (const line of [
    "kind?: 'point';",
    'at: number[];',
    'colour?: Colour;',
    'note?: string | null;',
    'any?: unknown;',
  ]) {
    expect(types).toContain(line);
  }
  expect(types).toContain('export type Either = Point | string;');
  const shapes = files['shapes.ts'] ?? '';
  for (const line of [
    "Point: { type: 'object', required: ['at'], properties: {",
    "kind: { const: 'point' },",
    "at: { type: 'array', minItems: 1, items: { type: 'number' } },",
    "colour: { $ref: 'Colour' },",
    "note: { type: ['string', 'null'] },",
    "link: { type: 'string', pattern: '^https://' },",
    "Either: { anyOf: [{ $ref: 'Point' }, { type: 'string', minLength: 1 }] },",
    "Colour: { enum: ['red', 'o\\'clock'] },",
  ]) {
    expect(shapes).toContain(line);
  }
});

test.each([
  ['a foreign reference', { A: { $ref: 'other.json#/B' } }, /A: reference to other\.json/],
  ['a type that does not exist', { A: { type: 'object', properties: { b: { type: 'date' } } } }, /A\.b: a shape/],
])('a schema is refused by the name of its fault: %s', async (_what, definitions, message) => {
  await expect(generate(definitions)).rejects.toThrow(message);
});

test('a document without definitions is refused', async () => {
  await expect(schemaFiles({}, 'x.json')).rejects.toThrow(/x\.json: no definitions/);
});

import { expect, test } from 'vitest';
import { checkAnswer } from '../../../src/agents/schema-check.ts';
import { fieldsOf, readForm } from '../../../src/core/model/answer-form.ts';

const trip = {
  type: 'object',
  properties: {
    city: { type: 'string', title: 'City', description: 'Where to' },
    nights: { type: 'integer', default: 2 },
    breakfast: { type: 'boolean' },
    room: { enum: ['single', 7], enumNames: ['One bed'] },
    seat: {
      oneOf: [
        { const: 'w', title: 'Window' },
        { const: 'a', title: 'Aisle' },
      ],
    },
    extras: { type: 'array', items: { type: 'string', enum: ['lunch', 'guide'] } },
    guests: { type: 'array', items: { type: 'string' } },
    note: { type: 'string', maxLength: 1_000 },
    __proto__x: { type: 'string' },
  },
  required: ['city', 'nights'],
};

test('a schema has an input for each property, with its title, its choices and its default', () => {
  const fields = fieldsOf(trip).map(({ label, kind, required, choices, preset }) => [
    ...[label, kind, required, choices.map((choice) => choice.label), preset],
  ]);
  expect(fields).toEqual([
    ['City', 'text', true, [], []],
    ['nights', 'number', true, [], ['2']],
    ['breakfast', 'one', false, ['yes', 'no'], []],
    ['room', 'one', false, ['One bed', '7'], []],
    ['seat', 'one', false, ['Window', 'Aisle'], []],
    ['extras', 'many', false, ['lunch', 'guide'], []],
    ['guests', 'lines', false, [], []],
    ['note', 'lines', false, [], []],
    ['__proto__x', 'text', false, [], []],
  ]);
});

test('a form is read as the schema wants it, and what was left empty is not in the answer', () => {
  const form = new URLSearchParams();
  for (const [name, value] of [
    ['f0', 'Bern'],
    ['f1', '3'],
    ['f2', 'false'],
    ['f3', '7'],
    ['f4', 'a'],
    ['f5', 'lunch'],
    ['f5', 'guide'],
    ['f6', '["Ann"]'],
    ['f7', 'a\r\nb'],
    ['f8', ''],
    ['f99', 'of no field'],
  ] as const) {
    form.append(name, value);
  }
  const answer = readForm(trip, form);
  expect(answer).toEqual({
    city: 'Bern',
    nights: 3,
    breakfast: false,
    room: 7,
    seat: 'a',
    extras: ['lunch', 'guide'],
    guests: ['Ann'],
    note: 'a\nb',
  });
  expect(checkAnswer(trip, answer)).toEqual([]);
});

test('a fault has the path of its input', () => {
  const form = new URLSearchParams({ f1: 'many', f5: 'dinner' });
  const paths = fieldsOf(trip).map(({ path }) => path);
  const faults = checkAnswer(trip, readForm(trip, form)).map(({ field }) => field);
  expect(faults).toEqual(['answer.city', 'answer.nights', 'answer.extras[0]']);
  for (const fault of faults) expect(paths.some((path) => fault.startsWith(path))).toBe(true);
});

test('a question without properties, or with a schema that is too large for a form, has one input', () => {
  const many = Object.fromEntries(Array.from({ length: 100 }, (_, i) => [`p${i}`, { type: 'string' }]));
  const wide = { type: 'object', properties: { a: { description: 'x'.repeat(100_000) } } };
  for (const schema of [undefined, {}, { type: 'string' }, { properties: many }, wide]) {
    expect(fieldsOf(schema)).toMatchObject([{ name: 'answer', kind: 'lines', required: true }]);
  }
  const form = new URLSearchParams({ answer: '{"p7":"x"}' });
  expect(readForm({ properties: many }, form)).toBe('{"p7":"x"}');
  expect(readForm({ type: 'integer' }, new URLSearchParams({ answer: '12' }))).toBe(12);
  expect(readForm({ enum: ['a', 'b'] }, new URLSearchParams({ answer: 'b' }))).toBe('b');
  expect(readForm(undefined, form)).toBe('{"p7":"x"}');
  expect(readForm(trip, new URLSearchParams({ f5: '["lunch"]' }))).toEqual({ extras: ['lunch'] });
});

import { expect, test } from 'vitest';
import type { Model } from '../../codegen/model.ts';
import { sectionNotes, sectionOf } from '../../codegen/sections.ts';
import { api } from '../../src/core/model/a2a.ts';

const packageName = 'lf.a2a.v1';

/** A model with types of some names. */
const modelOf = (own: string, names: readonly string[]): Model => {
  const messages = names.map((name) => ({ name }));
  return { package: own, messages, enums: [] } as unknown as Model;
};

const known = Object.keys(api.fields.messages)
  .filter((name) => name.startsWith(`${packageName}.`))
  .map((name) => name.slice(packageName.length + 1))
  .filter((name) => sectionOf(packageName, name) !== undefined);

test('messages say which section of the specification describes them', () => {
  expect(sectionOf(packageName, 'Task')).toBe('A2A 1.0, section 4.1.1.');
  expect(sectionOf(packageName, 'constructor')).toBeUndefined();
  expect(sectionOf('acme.shop.v2', 'Task')).toBeUndefined();
});

test('a message whose section is not known, and a section without its message, are reported and stop nothing', () => {
  expect(sectionNotes(modelOf(packageName, [...known, 'TaskState', 'Role']))).toEqual([]);
  const others = known.filter((name) => name !== 'Task');
  expect(sectionNotes(modelOf(packageName, [...others, 'TaskState', 'Role', 'Mood']))).toEqual([
    expect.stringMatching(/^lf\.a2a\.v1\.Mood: .*sections\.ts does not say/),
    expect.stringMatching(/^lf\.a2a\.v1\.Task: .*the proto lacks it/),
  ]);
  expect(sectionNotes(modelOf('acme.shop.v2', ['Order']))).toEqual([]);
});

import { expect, expectTypeOf, it } from 'vitest';
import type { input } from 'zod';
import type { fileSchema } from '../../src/config/schema.ts';
import type { FileSettings } from '../../src/gen/settings.ts';

type File = input<typeof fileSchema>;

/** The steps from a type to everything in it: keys, `*` for the keys of a record, and `[]` for the entries of a list. */
type Paths<T> = T extends readonly (infer Entry)[]
  ? '[]' | `[].${Paths<Entry> & string}`
  : T extends object
    ? { [K in keyof T]-?: Step<K> | `${Step<K>}.${Paths<Exclude<T[K], undefined>> & string}` }[keyof T]
    : never;
type Step<K> = K extends string ? (string extends K ? '*' : K) : never;

/** The type with lists and properties that are not readonly, as in schemas. */
type Writable<T> = T extends readonly unknown[]
  ? { -readonly [K in keyof T]: Writable<T[K]> }
  : T extends object
    ? { -readonly [K in keyof T]: Writable<T[K]> }
    : T;

it('the generated types of the settings have the keys of the schemas, and values that these accept', () => {
  expectTypeOf<Paths<FileSettings>>().toEqualTypeOf<Paths<File>>();
  const accepted = (settings: Writable<FileSettings>): File => settings;
  expect(accepted({})).toEqual({});
});

import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import fc from 'fast-check';
import { expect } from 'vitest';
import { type Bundle, bundleOf } from '../../codegen/bundle.ts';
import { fieldsSource } from '../../codegen/fields.ts';
import { guardsSource } from '../../codegen/guards.ts';
import type { Model } from '../../codegen/model.ts';
import { indexSource, operationsSource } from '../../codegen/operations.ts';
import type { Api } from '../../src/gen/api.ts';
import { decode, encode } from '../../src/wire/protobuf.ts';
import { normalize } from '../../src/wire/protojson.ts';
import { parseAs } from '../../src/wire/validate.ts';
import { canonicalJson, damaged } from './arbitrary-json.ts';
import { newFolder } from './folders.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** Generates all code about one model, and loads it. */
export async function generated(model: Model, bundle: Bundle = bundleOf(model)): Promise<Api> {
  const dir = newFolder();
  const sources = {
    'api/fields.ts': fieldsSource(model, 'a test'),
    'api/guards.ts': guardsSource(model, bundle, 'a test'),
    'api/operations.ts': operationsSource(model, 'a test'),
    'api/index.ts': indexSource(model, 'a test'),
  };
  for (const [path, text] of Object.entries(sources)) {
    mkdirSync(dirname(join(dir, path)), { recursive: true });
    writeFileSync(join(dir, path), text);
  }
  symlinkSync(join(root, 'src/gen/checks.ts'), join(dir, 'checks.ts'));
  return (await import(pathToFileURL(join(dir, 'api/index.ts')).href)).api;
}

/** Tables without what they say of other versions. */
function unmarked(tables: object): object {
  const marks = ['since', 'until', 'changed', 'valuesSince', 'valuesUntil', 'valueNames'];
  const isMark = (key: string, value: unknown): boolean => marks.includes(key) && !Array.isArray(value);
  return JSON.parse(JSON.stringify(tables, (key, value) => (isMark(key, value) ? undefined : value)));
}

/** Holds what the program has of a version against the code that is generated about that version alone. */
export function expectSame(own: Api, whole: Api, newest: Api): void {
  const { guards, ...tables } = whole;
  const { guards: ownGuards, ...ownTables } = own;
  expect(unmarked(ownTables)).toEqual(tables);
  expect(Object.keys(ownGuards).sort()).toEqual(Object.keys(guards).sort());
  const names = fc.constantFrom(...Object.keys(whole.fields.messages).filter((name) => !name.endsWith('.Tree')));
  const valid = names.chain((name) => fc.tuple(fc.constant(name), canonicalJson(whole, name)));
  fc.assert(
    fc.property(valid, ([name, json]) => {
      const bytes = encode(whole, name, json);
      expect(encode(own, name, json)).toEqual(bytes);
      expect(parseAs(own, name, decode(own, name, bytes))).toEqual(json);
    }),
  );
  // Requests of callers may be of the newest version, and invalid.
  const sent = names
    .filter((name) => name in newest.fields.messages)
    .chain((name) => fc.tuple(fc.constant(name), canonicalJson(newest, name).chain(damaged)));
  let refused = 0;
  fc.assert(
    fc.property(sent, ([name, json]) => {
      const canonical = normalize(whole, name, json);
      expect(normalize(own, name, json)).toEqual(canonical);
      const isValid = whole.guards[name]?.(canonical);
      expect(own.guards[name]?.(canonical)).toBe(isValid);
      if (!isValid) refused++;
    }),
    { numRuns: 300 },
  );
  expect(refused).toBeGreaterThan(20);
}

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { api as v10 } from '../../src/gen/a2a-1.0/index.ts';
import { schemas as schemas10 } from '../../src/gen/a2a-1.0/validators.ts';
import { api as v11 } from '../../src/gen/a2a-1.1/index.ts';
import { schemas as schemas11 } from '../../src/gen/a2a-1.1/validators.ts';
import { api as v03 } from '../../src/gen/a2a-v0_3/index.ts';
import { schemas as schemas03 } from '../../src/gen/a2a-v0_3/validators.ts';
import { api as knowledge } from '../../src/gen/knowledge-v1/index.ts';
import { schemas as schemasOfKnowledge } from '../../src/gen/knowledge-v1/validators.ts';
import { canonicalJson } from '../support/arbitrary-json.ts';

const odd = fc.constantFrom<unknown>(
  null,
  undefined,
  '',
  'x',
  '====',
  '2024-02-30T00:00:00.000Z',
  'TASK_STATE_UNSPECIFIED',
  'ROLE_UNSPECIFIED',
  0,
  -1,
  0.5,
  2 ** 31,
  Number.NaN,
  Number.POSITIVE_INFINITY,
  true,
  [],
  [null],
  [''],
  {},
  { a: null },
  { a: {} },
);

/** Replaces one value somewhere in the object, or adds one. */
function mutate(value: unknown, path: readonly number[], replacement: unknown): unknown {
  const [step, ...rest] = path;
  if (step === undefined || typeof value !== 'object' || value === null) return replacement;
  if (Array.isArray(value)) {
    if (value.length === 0) return [replacement];
    return value.map((item, i) => (i === step % value.length ? mutate(item, rest, replacement) : item));
  }
  const keys = Object.keys(value);
  const key = keys[step % Math.max(keys.length, 1)];
  if (key === undefined) return replacement;
  return { ...value, [key]: mutate((value as Record<string, unknown>)[key], rest, replacement) };
}

describe.each([
  ['a2a-1.1', v11, schemas11],
  ['a2a-1.0', v10, schemas10],
  ['a2a-0.3', v03, schemas03],
  ['knowledge', knowledge, schemasOfKnowledge],
] as const)('%s', (_, api, schemas) => {
  test('guards and schemas say the same of valid and of damaged messages', () => {
    const names = Object.keys(schemas);
    const path = fc.array(fc.nat(9), { minLength: 0, maxLength: 5 });
    const cases = fc.constantFrom(...names).chain((name) =>
      fc.record({
        name: fc.constant(name),
        json: canonicalJson(api, name),
        damage: fc.array(fc.tuple(path, odd), { maxLength: 2 }),
      }),
    );
    let refused = 0;
    fc.assert(
      fc.property(cases, ({ name, json, damage }) => {
        const value = damage.reduce<unknown>((now, [at, what]) => mutate(now, at, what), json);
        const bySchema = schemas[name]?.().safeParse(value).success;
        const byGuard = api.validators[name]?.safeParse(value).success;
        expect(byGuard).toBe(bySchema);
        if (damage.length === 0) expect(byGuard).toBe(true);
        if (!byGuard) refused++;
      }),
      { numRuns: 1500 },
    );
    expect(refused).toBeGreaterThan(100);
  });
});

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { isObject } from '../../src/core/model/json.ts';
import { api as v11 } from '../../src/gen/a2a-1.1/index.ts';
import { api as v03 } from '../../src/gen/a2a-v0_3/index.ts';
import { api as admin } from '../../src/gen/admin-v1/index.ts';
import { api as knowledge } from '../../src/gen/knowledge-v1/index.ts';
import { issuesOf } from '../../src/wire/validate.ts';
import { canonicalJson, damaged } from '../support/arbitrary-json.ts';

/** The value with null in place of undefined items, which JSON cannot have. */
function withoutHoles(value: unknown): unknown {
  if (Array.isArray(value)) return Array.from(value, (item) => (item === undefined ? null : withoutHoles(item)));
  if (!isObject(value) || Object.getPrototypeOf(value) !== Object.prototype) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, withoutHoles(member)]));
}

test.each([
  ['a2a-1.1', v11],
  ['a2a-0.3', v03],
  ['knowledge', knowledge],
  ['admin', admin],
] as const)('guards of %s refuse just the messages in which an issue is found', (_, api) => {
  const names = Object.keys(api.guards);
  const cases = fc.constantFrom(...names).chain((name) => {
    const json = canonicalJson(api, name);
    return fc.record({ name: fc.constant(name), json, value: json.chain(damaged).map(withoutHoles) });
  });
  let refused = 0;
  fc.assert(
    fc.property(cases, ({ name, json, value }) => {
      expect(api.guards[name]?.(json)).toBe(true);
      const isValid = api.guards[name]?.(value);
      expect(isValid).toBe(issuesOf({ fields: api.fields }, name, value).length === 0);
      if (!isValid) refused++;
    }),
    { numRuns: 300 },
  );
  expect(refused).toBeGreaterThan(100);
});

import { expect, it } from 'vitest';
import { patchesOf } from '../../../src/extensions/knowledge/requests.ts';

const mutation = {
  op: 'add',
  statement: { subject: { id: 'urn:s' }, predicate: { id: 'urn:p' }, object: { value: 'v' } },
};

it('a request to a knowledge graph takes as many mutations at once as others can wait for, and names the field where there are more', () => {
  const most = Array.from({ length: 10_000 }, () => mutation);
  expect(patchesOf(most)).toHaveLength(10_000);
  expect(() => patchesOf([...most, mutation])).toThrow(
    expect.objectContaining({
      kind: 'invalidParams',
      violations: [{ field: 'mutations', description: 'must be at most 10000' }],
    }),
  );
});

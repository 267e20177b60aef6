import fc from 'fast-check';
import { expect, it } from 'vitest';
import { toolNames } from '../../../src/extensions/mcp/server/catalog.ts';

it('the catalog of tools names tools in a way that every client takes, no two the same, whatever the others are called', () => {
  const skill = fc.oneof(
    fc.string({ unit: 'grapheme', maxLength: 100 }),
    fc.constantFrom('a.b', 'a/b', 'a_b', 'get_task'),
  );
  fc.assert(
    fc.property(fc.uniqueArray(skill), (ids) => {
      const names = toolNames(ids, ['get_task']);
      expect(new Set(['get_task', ...names]).size).toBe(ids.length + 1);
      for (const name of names) expect(name).toMatch(/^[\w-]{1,64}$/);
      for (const [index, id] of ids.entries()) {
        if (/^[\w-]{1,64}$/.test(id) && names[index] !== id) {
          // Only one that could be taken for another's is changed.
          expect([...ids, 'get_task'].filter((other) => other.replace(/[^\w-]+/g, '_') === id).length).toBeGreaterThan(
            1,
          );
        }
      }
    }),
  );
});

import fc from 'fast-check';
import { expect, it } from 'vitest';
import { taskKey } from '../../src/core/model/ids.ts';
import { escapeText, unescapeText } from '../../src/stores/text.ts';
import { anyText } from '../support/arbitrary-json.ts';

const controlText = fc.string({ unit: fc.constantFrom('\0', '\u0001', '0', '1', 'a') });

it('escaped text has no U+0000 and gives back what it was made of', () => {
  fc.assert(
    fc.property(fc.oneof(anyText, controlText), (text) => {
      expect(escapeText(text)).not.toContain('\0');
      expect(unescapeText(escapeText(text))).toBe(text);
    }),
  );
});

it('text without control characters is stored as it is', () => {
  expect(escapeText('task-1 é {"a":"b"}')).toBe('task-1 é {"a":"b"}');
});

it('keys of chosen ids are unique, whatever the parts of their owner', () => {
  const owner = fc.record({ agent: anyText, tenant: anyText, principal: anyText });
  fc.assert(
    fc.property(owner, anyText, owner, anyText, (one, id, other, otherId) => {
      const same = JSON.stringify([one, id]) === JSON.stringify([other, otherId]);
      fc.pre(!same);
      expect(taskKey(one, id, true)).not.toBe(taskKey(other, otherId, true));
    }),
  );
  expect(taskKey({ agent: 'a', tenant: '', principal: 'p' }, 'made', false)).toBe('made');
});

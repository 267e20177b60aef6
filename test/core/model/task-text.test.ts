import fc from 'fast-check';
import { expect, it } from 'vitest';
import { api, type Task } from '../../../src/core/model/a2a.ts';
import { shownTask, shownText } from '../../../src/core/model/task-text.ts';
import { canonicalJson } from '../../support/arbitrary-json.ts';

const task = canonicalJson(api, 'lf.a2a.v1.Task') as fc.Arbitrary<Task & Record<string, unknown>>;
const wanted = fc.record({ historyLength: fc.nat(3), includeArtifacts: fc.boolean() }, { requiredKeys: [] });

it('the text of the wanted parts is, byte for byte, that of the parsed task with them', () => {
  fc.assert(
    fc.property(task, wanted, (value, parts) => {
      expect(shownText(JSON.stringify(value), parts)).toBe(JSON.stringify(shownTask(value, parts)));
    }),
  );
});

import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import type { ReadOutcome } from '../../../../src/extensions/knowledge/alignment/outcome.ts';
import { startShapesProcess } from '../../../../src/extensions/knowledge/alignment/shapes/process.ts';
import type { KGStatement } from '../../../../src/extensions/knowledge/model/knowledge.ts';
import { newFolder } from '../../../support/folders.ts';
import { say } from './fixtures.ts';
import { prefixes } from './generated-shapes.ts';

async function started(heap?: number) {
  const folder = newFolder();
  const path = join(folder, 'shapes.ttl');
  await writeFile(path, `${prefixes} :S sh:targetSubjectsOf :p ; sh:property [ sh:path :p ; sh:maxLength 3 ] .`);
  const shapes = await startShapesProcess(path, heap);
  onTestFinished(async () => {
    shapes.close();
  });
  return shapes;
}

/** An outcome in which every pattern has the same matches. */
const outcomeOf = (read: () => Promise<readonly KGStatement[]>): ReadOutcome => ({
  findEach: (patterns) => Promise.all(patterns.map(read)),
  someEach: async (patterns) => patterns.map(() => true),
  typesOf: async () => new Map(),
  instancesOf: async () => [],
});

const changed = [say('a', 'p', 'long')];
const { signal } = new AbortController();

test('a validation ends when its caller disconnects, and others continue', async () => {
  const { judge } = await started();
  const caller = new AbortController();
  const endless = judge(
    changed,
    outcomeOf(() => {
      caller.abort(new Error('the caller left'));
      return new Promise(() => undefined);
    }),
    caller.signal,
  );
  await expect(endless).rejects.toThrow('the caller left');
  expect(
    await judge(
      changed,
      outcomeOf(async () => changed),
      signal,
    ),
  ).toHaveLength(1);
});

test('an error while the outcome is read is that of the validation', async () => {
  const { judge } = await started();
  const broken = judge(
    changed,
    outcomeOf(() => Promise.reject(new RangeError('the store is gone'))),
    signal,
  );
  await expect(broken).rejects.toThrow(new RangeError('the store is gone'));
});

test('a process without memory fails what it validates, and another one follows it', async () => {
  const { judge } = await started(48);
  const large = Array.from({ length: 100_000 }, (_, n) => say('a', 'p', `${'x'.repeat(500)}${n}`));
  await expect(
    judge(
      changed,
      outcomeOf(async () => large),
      signal,
    ),
  ).rejects.toMatchObject({ kind: 'unavailable', message: expect.stringContaining('MiB of its process') });
  expect(
    await judge(
      changed,
      outcomeOf(async () => changed),
      signal,
    ),
  ).toHaveLength(1);
});

test('an update under way is validated although the rules were closed meanwhile', async () => {
  const { judge, close } = await started();
  const found = judge(
    changed,
    outcomeOf(async () => {
      close();
      return changed;
    }),
    signal,
  );
  expect(await found).toHaveLength(1);
});

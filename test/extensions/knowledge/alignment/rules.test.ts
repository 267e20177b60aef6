import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { alignWith, createAlignment } from '../../../../src/extensions/knowledge/alignment/alignment.ts';
import type { AlignmentRule, ProposedUpdate } from '../../../../src/extensions/knowledge/alignment/rule.ts';
import { hides } from '../../../../src/extensions/knowledge/alignment/visibility.ts';
import { newFolder } from '../../../support/folders.ts';
import { add, ex, given, known, memory, propose, remove, replace, say, space } from './fixtures.ts';

test('without rules everything is verified, and says that there are none', async () => {
  const store = await memory();
  const done = await propose(await createAlignment(), store, [add(say('a', 'p', 1))]);
  expect(done).toMatchObject({ status: 'verified', verificationStatus: 'Verified', applied: { added: 1 } });
  expect(done.verificationDetails).toBe('no rules are configured');
});

test('updates must say how certain their statements are', async () => {
  const store = await memory();
  const alignment = await createAlignment({ minCertainty: 0.5 });
  const doubtful = say('a', 'p', 1, { certainty: 0.49 });
  const refused = await propose(alignment, store, [add(say('a', 'q', 1)), add(doubtful)]);
  expect(refused).toEqual({
    status: 'rejected',
    verificationStatus: 'Rejected - Constraint Violation',
    verificationDetails: 'minCertainty: mutations[1].statement: its certainty, 0.49, is less than 0.5',
  });
  expect(await known(store)).toBe(0);
  const sure = [say('a', 'p', 1, { certainty: 0.5 }), say('a', 'q', 1)].map(add);
  expect(await propose(alignment, store, sure)).toMatchObject({ applied: { added: 2 } });
  // A statement to remove need not be certain.
  expect(await propose(alignment, store, [remove(doubtful)])).toMatchObject({ applied: { removed: 1 } });
});

test.each([
  [true, undefined, 'it has no provenance'],
  [true, {}, 'it has no provenance'],
  [true, { by: 'me' }, undefined],
  [['by', 'when'], { by: 'me' }, 'its provenance has no when'],
  [['by', 'when'], { by: 'me', when: ' ' }, 'its provenance has no when'],
  [['toString'], { by: 'me' }, 'its provenance has no toString'],
  [['by', 'when'], { by: 'me', when: 0 }, undefined],
])('updates must say where statements are from: %j of %j', async (requireProvenance, provenance, complaint) => {
  const store = await memory();
  const alignment = await createAlignment({ requireProvenance });
  const done = await propose(alignment, store, [replace(say('a', 'p', 1, provenance && { provenance }))]);
  const details = complaint
    ? `requireProvenance: mutations[0].statement: ${complaint}`
    : 'verified by: requireProvenance';
  expect(done.verificationDetails).toBe(details);
  expect(await known(store)).toBe(complaint ? 0 : 1);
});

test('updates must say what they are for', async () => {
  const store = await memory();
  const alignment = await createAlignment({ requireJustification: true });
  const patches = [add(say('a', 'p', 1))];
  for (const justification of [undefined, '', '  ']) {
    const meta = justification === undefined ? {} : { justification };
    expect(await propose(alignment, store, patches, { meta })).toMatchObject({
      status: 'rejected',
      verificationDetails: 'requireJustification: the update has no justification',
    });
  }
  expect(await propose(alignment, store, patches, { meta: { justification: 'seen' } })).toMatchObject({
    status: 'verified',
  });
});

describe('what is protected', () => {
  const settings = {
    protected: {
      graphs: {
        [ex('hr*')]: { read: ['alice', 'hr-*'], write: ['hr-*', 'stranger'] },
        '': { write: ['alice', 'hr-*', 'bob'] },
      },
      predicates: { [ex('ssn')]: {}, [ex('salary')]: { read: ['alice'], write: ['alice'] } },
    },
  };

  test.each([
    ['alice', say('a', 'p', 1), undefined],
    ['carol', say('a', 'p', 1), 'the default graph'],
    ['carol', say('a', 'p', 1, { graph: ex('open') }), undefined],
    ['alice', say('a', 'p', 1, { graph: ex('hr/2026') }), `the graph ${ex('hr/2026')}`],
    ['hr-1', say('a', 'p', 1, { graph: ex('hr/2026') }), undefined],
    ['stranger', say('a', 'p', 1, { graph: ex('hr/2026') }), `the graph ${ex('hr/2026')}`],
    ['alice', say('a', 'ssn', 1), `the predicate ${ex('ssn')}`],
    ['bob', say('a', 'salary', 1), `the predicate ${ex('salary')}`],
    ['alice', say('a', 'salary', 1), undefined],
  ])('protected knowledge is checked for %s: %s', async (by, statement, what) => {
    const alignment = await createAlignment(settings);
    for (const patch of [add, remove, replace]) {
      const store = await memory();
      const done = propose(alignment, store, [patch(statement)], { by });
      if (what === undefined) expect(await done).toMatchObject({ status: 'verified' });
      else {
        const message = `protected: mutations[0]: ${what} may not be changed by this caller`;
        await expect(done).rejects.toMatchObject({
          kind: 'alignmentViolation',
          message,
          metadata: { rule: 'protected' },
        });
        expect(await known(store)).toBe(0);
      }
    }
  });

  test('what is protected is hidden only from principals that may not read it', async () => {
    const alignment = await createAlignment(settings);
    const of = (id: string) => alignment.hiddenFrom({ id, anonymous: false });
    expect(of('alice')).toBeUndefined();
    expect(of('hr-1')).toEqual({ predicates: [ex('salary')] });
    expect(of('bob')).toEqual({ graphs: [ex('hr*')], predicates: [ex('salary')] });
    expect(hides(of('bob'), say('a', 'p', 1, { graph: ex('hr') }))).toBe(true);
    expect(hides(of('bob'), say('a', 'salary', 1))).toBe(true);
    expect(hides(of('bob'), say('a', 'p', 1))).toBe(false);
    expect(hides(of('alice'), say('a', 'salary', 1))).toBe(false);
    const closed = await createAlignment({ protected: { graphs: { '': { read: [] } } } });
    const hidden = closed.hiddenFrom({ id: 'alice', anonymous: false });
    expect(hides(hidden, say('a', 'p', 1))).toBe(true);
    expect(hides(hidden, say('a', 'p', 1, { graph: ex('g') }))).toBe(false);
  });
});

describe("a user's rules", () => {
  const file = async (text: string): Promise<string> => {
    const path = join(newFolder(), 'rules.mjs');
    await writeFile(path, text);
    return path;
  };

  test("a user's rules see the update, its caller and what it would leave", async () => {
    const store = await memory();
    await given(store, say('a', 'p', 1), say('a', 'p', 2), say('b', 'p', 1));
    let seen: ProposedUpdate | undefined;
    let left: unknown[] = [];
    const rule: AlignmentRule = {
      name: 'mine',
      async verify(update) {
        seen = update;
        left = (await update.outcome.find({ subject: ex('a') })).map(({ object }) => object.value);
        return { status: 'verified' };
      },
    };
    const patches = [remove(say('a', 'p', 1)), add(say('a', 'p', 3)), replace(say('b', 'p', 9))];
    const more = { meta: { sourceAgentId: 'x' }, metadata: { token: 't' } };
    const done = await propose(alignWith([rule]), store, patches, more);
    expect(done.verificationDetails).toBe('verified by: mine');
    expect(left.toSorted()).toEqual([2, 3]);
    expect(seen).toMatchObject({ patches, space, ...more, principal: { id: 'alice' } });
  });

  test("a user's rules may be a function, a rule or a list, in a module", async () => {
    const text = `
      export default [
        { name: 'even', verify: ({ patches }) =>
            patches.some(({ statement }) => statement.object.value % 2) ? { status: 'rejected', details: 'odd' } : undefined },
        function small({ patches }) {
          return { status: patches.some(({ statement }) => statement.object.value > 10) ? 'forbidden' : 'verified' };
        },
      ];`;
    const store = await memory();
    const alignment = await createAlignment({ rules: await file(text) });
    const put = (value: number) => propose(alignment, store, [add(say('a', 'p', value))]);
    expect(await put(1)).toMatchObject({ status: 'rejected', verificationDetails: 'even: odd' });
    await expect(put(12)).rejects.toMatchObject({ kind: 'alignmentViolation', message: 'small' });
    expect(await put(2)).toMatchObject({ status: 'verified', verificationDetails: 'verified by: even, small' });
  });

  test.each(['export default 1', 'export const verify = () => 1', 'export default []', 'export default {verify(){}}'])(
    "a user's rules are refused when they are none: %s",
    async (text) => {
      const path = await file(text);
      await expect(createAlignment({ rules: path })).rejects.toThrow(path);
    },
  );

  test("a user's rules that doubt let an update in, marked for review", async () => {
    const store = await memory();
    const doubt: AlignmentRule = { name: 'doubt', verify: () => ({ status: 'pending', details: 'who knows' }) };
    const done = await propose(alignWith([doubt, { name: 'fine', verify: () => undefined }]), store, [
      add(say('a', 'p', 1)),
    ]);
    expect(done).toMatchObject({
      status: 'pending',
      verificationStatus: 'Pending Review',
      verificationDetails: 'doubt: who knows',
      applied: { added: 1 },
    });
    const [change] = await store.changes(space, 0, 10);
    expect(change?.meta).toMatchObject({ verification: { status: 'Pending Review', details: 'doubt: who knows' } });
  });

  test("a user's rules that throw, or say nothing sensible, let nothing in", async () => {
    const store = await memory();
    const bad = [
      () => {
        throw new Error('secret');
      },
      async () => ({ status: 'maybe' }),
      async () => null,
    ] as unknown as AlignmentRule['verify'][];
    for (const verify of bad) {
      const done = propose(alignWith([{ name: 'bad', verify }]), store, [add(say('a', 'p', 1))]);
      await expect(done).rejects.toMatchObject({ kind: 'internal', message: 'Internal error' });
    }
    expect(await known(store)).toBe(0);
  });

  test("a user's rules are not waited for longer than the caller waits, and then nothing is applied", async () => {
    const store = await memory();
    const gate = Promise.withResolvers<undefined>();
    const alignment = alignWith([{ name: 'slow', verify: () => gate.promise }]);
    const leaving = new AbortController();
    const done = propose(alignment, store, [add(say('a', 'p', 1))], { signal: leaving.signal });
    leaving.abort();
    await expect(done).rejects.toMatchObject({ kind: 'canceled' });
    gate.resolve(undefined);
    expect(await propose(alignment, store, [add(say('a', 'p', 2))])).toMatchObject({ status: 'verified' });
    expect(await known(store)).toBe(1);
  });
});

describe('two writers', () => {
  /** No more than three statements about anything. */
  const few: AlignmentRule = {
    name: 'few',
    async verify({ patches: [patch], outcome }) {
      const left = await outcome.find({ subject: patch?.statement.subject.id ?? '' });
      return left.length > 3 ? { status: 'rejected' } : undefined;
    },
  };

  test('two writers whose updates are each fine alone are not both let in if they are not fine together', async () => {
    const store = await memory();
    // They act like two gateways: neither waits for the other's turn.
    const alignments = [alignWith([few]), alignWith([few]), alignWith([few])];
    const done = await Promise.all(
      Array.from({ length: 12 }, (_, i) =>
        propose(alignments[i % 3] ?? alignWith([few]), store, [add(say('a', 'p', i))]),
      ),
    );
    expect(done.filter(({ status }) => status === 'verified')).toHaveLength(3);
    expect(await known(store)).toBe(3);
  });

  test('two writers get an error when others write all the time', async () => {
    const store = await memory();
    let count = 0;
    const busy: AlignmentRule = {
      name: 'busy',
      async verify() {
        await store.apply(space, [add(say('b', 'p', count++))], {});
        return undefined;
      },
    };
    const done = propose(alignWith([busy]), store, [add(say('a', 'p', 1))]);
    await expect(done).rejects.toMatchObject({ kind: 'knowledgeUpdate', retryAfter: 1 });
    expect(await store.count(space, [{ subject: ex('a') }], 10)).toMatchObject([{ count: 0 }]);
  });
});

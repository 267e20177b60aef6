import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { StreamResponse } from '../../../src/core/model/a2a.ts';
import type { Chain } from '../../../src/extensions/guards/chain.ts';
import { judgedEvent } from '../../../src/extensions/guards/events.ts';
import { Blocked } from '../../../src/extensions/guards/guards.ts';
import { ReadAhead } from '../../../src/extensions/guards/read-ahead.ts';
import { paced } from '../../support/pace.ts';
import { afterTurns, guardList, subject } from './guard-list.ts';
import { textIn } from './judge.ts';

const secret = 'classified';

/** An artifact in chunks. */
async function* chunksOf(texts: readonly string[]): AsyncGenerator<StreamResponse> {
  for (const [at, text] of texts.entries()) {
    yield {
      artifactUpdate: { taskId: '', contextId: '', artifact: { artifactId: 'a', parts: [{ text }] }, append: at > 0 },
    };
  }
}

/** Reads a stream as far as guards let it. */
async function shown(chain: Chain, events: AsyncIterator<StreamResponse>) {
  const texts: string[] = [];
  const judged = new ReadAhead(events, {
    begin: (event) => judgedEvent(event, chain, async () => false),
    failed: async (thrown) => thrown,
    bytesOf: () => 1,
  });
  try {
    for await (const { artifactUpdate } of judged) texts.push(artifactUpdate?.artifact.parts[0]?.text ?? '');
  } catch (thrown) {
    if (!(thrown instanceof Blocked)) throw thrown;
    return { texts, blocked: thrown };
  }
  return { texts, blocked: undefined };
}

/** A text that has the secret or not, cut at any places, and how long each verdict takes. */
const cutText = fc
  .record({
    before: fc.string({ unit: fc.constantFrom('c', 'l', 'a', 's', 'x', ' '), maxLength: 20 }),
    has: fc.boolean(),
    after: fc.string({ unit: fc.constantFrom('d', 'e', 'i', 'f', ' '), maxLength: 20 }),
    cuts: fc.array(fc.nat(50), { maxLength: 30 }),
    turns: fc.array(fc.nat(12), { minLength: 1, maxLength: 8 }),
  })
  .map(({ before, has, after, cuts, turns }) => {
    const text = `${before}${has ? secret : ''}${after}`;
    const places = [0, ...cuts.filter((at) => at < text.length).sort((a, b) => a - b), text.length];
    return { text, turns, texts: places.slice(1).map((end, at) => text.slice(places[at], end)) };
  });

it('a window as long as the secret less one character hides it however its text is cut, and verdicts come in any order', {
  timeout: paced(120_000),
}, async () => {
  await fc.assert(
    fc.asyncProperty(cutText, async ({ text, texts, turns }) => {
      let asked = 0;
      const { chain } = guardList({
        window: secret.length - 1,
        judge: async (question) => {
          asked += 1;
          await afterTurns(turns[asked % turns.length] ?? 0);
          const seen = `${question.window ?? ''}${textIn(question)}`;
          return { action: seen.includes(secret) ? 'block' : 'allow' };
        },
      });
      const { texts: read, blocked } = await shown(chain(), chunksOf(texts));
      expect(read.join('')).not.toContain(secret);
      expect(blocked !== undefined).toBe(text.includes(secret));
      if (!blocked) expect(read).toEqual(texts);
      else expect(text.startsWith(read.join(''))).toBe(true);
    }),
    { numRuns: 10_000 },
  );
});

it('verdicts about later chunks are asked for before the first has come, and chunks keep their order', async () => {
  const first = Promise.withResolvers<void>();
  const third = Promise.withResolvers<void>();
  const { chain } = guardList({
    judge: async (question) => {
      const text = textIn(question);
      if (text === 'one') await first.promise;
      if (text === 'three') third.resolve();
      return { action: 'replace', parts: [{ text: text.toUpperCase() }] };
    },
  });
  const reading = shown(chain(), chunksOf(['one', 'two', 'three']));
  await third.promise;
  first.resolve();
  expect((await reading).texts).toEqual(['ONE', 'TWO', 'THREE']);
});

it('a guard gets what the guard before it has left, also in its window', async () => {
  const windows: unknown[] = [];
  const { chain } = guardList(
    { judge: async (question) => ({ action: 'replace', parts: [{ text: textIn(question).replaceAll('a', 'b') }] }) },
    {
      window: 3,
      judge: (question) => {
        windows.push([question.window, textIn(question)]);
        return { action: 'allow' };
      },
    },
  );
  const { texts } = await shown(chain(), chunksOf(['aaaa', 'xa', 'y']));
  expect(texts).toEqual(['bbbb', 'xb', 'y']);
  expect(windows).toEqual([
    [undefined, 'bbbb'],
    ['bbb', 'xb'],
    ['bxb', 'y'],
  ]);
});

it('a window begins with the text that an artifact had before the run, and never with half a character', async () => {
  const windows: unknown[] = [];
  const { chain } = guardList({
    window: 2,
    judge: ({ window }) => {
      windows.push(window);
      return { action: 'allow' };
    },
  });
  const known = chain({ textBefore: async () => 'before😀x' });
  await known.judge({ parts: [{ text: 'more' }], artifactId: 'a', append: true });
  await known.judge({ parts: [{ text: 'anew' }], artifactId: 'a' });
  expect(windows).toEqual(['x', undefined]);
});

it('a guard in shadow is not waited for, and changes nothing', async () => {
  const counted = Promise.withResolvers<void>();
  const { chain, audited, counts } = guardList({
    shadow: true,
    judge: async () => {
      await counted.promise;
      return { action: 'block', reason: 'no' };
    },
  });
  const { texts } = await shown(chain(), chunksOf(['shown']));
  expect(texts).toEqual(['shown']);
  counted.resolve();
  await afterTurns(20);
  expect(audited).toEqual([expect.objectContaining({ event: 'guard.shadow', guard: 'guard-0', reason: 'no' })]);
  const [verdicts] = counts.families();
  expect(verdicts?.samples).toContainEqual({
    labels: { guard: 'guard-0', phase: 'answer', outcome: 'shadow' },
    value: 1,
  });
});

const approvers = { of: ['carol'], until: 60_000, otherwise: 'deny', quorum: 1, self: false } as const;
const asks = (): unknown => ({ action: 'ask', reason: 'a large payment' });

it.each([
  [
    'of a message of an agent that keeps its tasks',
    { approvers },
    'request',
    true,
    'calls of agents with keep: none cannot wait',
  ],
  ['of a message where the guard has no approvers', {}, 'request', false, 'the guard has no approvers'],
  ['of an answer', { approvers }, 'answer', false, 'people are asked about messages alone'],
] as const)(
  'a verdict ask %s blocks, and the reason says why nobody is asked',
  async (_, more, phase, isPassedOn, why) => {
    const { chain, audited } = guardList({ judge: asks, ...more });
    const of = { ...subject, isPassedOn };
    const reason = `it asks for a person's consent (a large payment), and ${why}`;
    await expect(chain({ phase, subject: of }).judge({ parts: [{ text: 'pay' }] })).rejects.toThrow(reason);
    expect(audited).toEqual([expect.objectContaining({ event: 'guard.blocked', reason })]);
  },
);

it('a verdict ask has the approvers of each guard asked, after all guards have judged', async () => {
  const seen: string[] = [];
  const { chain, audited } = guardList(
    { name: 'payments', approvers, judge: asks },
    { name: 'polite', judge: () => ({ action: 'replace', parts: [{ text: 'please pay' }] }) },
    {
      name: 'large',
      approvers: { ...approvers, delegate: 'dave' },
      judge: (question) => {
        seen.push(textIn(question));
        return { action: 'ask' };
      },
    },
  );
  const judged = await chain({ phase: 'request' }).judge({ parts: [{ text: 'pay' }] });
  const { until: wait, ...people } = approvers;
  expect(judged).toEqual({
    parts: [{ text: 'please pay' }],
    marks: [{ guard: 'polite', action: 'replace' }],
    asks: [
      { ...people, wait, by: 'guard payments', reason: 'a large payment' },
      { ...people, wait, by: 'guard large', delegate: 'dave' },
    ],
  });
  expect(seen).toEqual(['please pay']);
  expect(audited.map(({ event, guard }) => [event, guard])).toEqual([
    ['guard.asked', 'payments'],
    ['guard.replaced', 'polite'],
    ['guard.asked', 'large'],
  ]);
});

it('a verdict block of a later guard wins over an ask', async () => {
  const { chain } = guardList(
    { approvers, judge: asks },
    { judge: () => ({ action: 'block', reason: 'no payments' }) },
  );
  await expect(chain({ phase: 'request' }).judge({ parts: [{ text: 'pay' }] })).rejects.toThrow('no payments');
});

it('a verdict ask of a guard in shadow asks nobody, and is counted', async () => {
  const { chain, counts } = guardList({ approvers, judge: asks, shadow: true });
  const judged = await chain({ phase: 'request' }).judge({ parts: [{ text: 'pay' }] });
  expect(judged.asks).toEqual([]);
  await afterTurns(20);
  expect(counts.families()[0]?.samples).toEqual([
    { labels: { guard: 'guard-0', phase: 'request', outcome: 'shadow' }, value: 1 },
  ]);
});

it.each([
  ['nothing', undefined],
  ['a text', 'allow'],
  ['no action', { verdict: 'allow' }],
  ['another action', { action: 'maybe' }],
  ['a reason that is none', { action: 'allow', reason: 7 }],
  ['no parts', { action: 'replace', parts: [] }],
  ['parts that are none', { action: 'replace', parts: [{ text: 7 }] }],
  ['parts of two kinds', { action: 'replace', parts: [{ text: 'a', url: 'b' }] }],
  ['too many parts', { action: 'replace', parts: Array.from({ length: 1_001 }, () => ({ text: 'a' })) }],
])('a judge that answers with %s has failed, which blocks or passes as onError says', async (_, answer) => {
  const blocking = guardList({ judge: () => answer });
  await expect(blocking.chain().judge({ parts: [{ text: 'x' }] })).rejects.toThrow(
    'blocks the answer: no valid verdict',
  );
  expect(blocking.audited).toEqual([expect.objectContaining({ event: 'guard.failed' })]);
  const passing = guardList({ judge: () => answer, onError: 'pass' });
  expect(await passing.chain().judge({ parts: [{ text: 'x' }] })).toEqual({
    parts: [{ text: 'x' }],
    marks: [],
    asks: [],
  });
});

it('each question is a span, and its judge gets the trace', async () => {
  const traces: unknown[] = [];
  const { chain, spans } = guardList({
    name: 'seen',
    judge: (_question, _signal, trace) => {
      traces.push(trace);
      return { action: 'block' };
    },
  });
  await expect(chain().judge({ parts: [{ text: 'x' }] })).rejects.toThrow('The guard seen blocks the answer');
  expect(traces).toEqual([{ traceparent: 'below the call' }]);
  expect(spans).toEqual([
    expect.objectContaining({ name: 'guard seen', kind: 'client', 'a2a_gateway.guard.phase': 'answer' }),
    { name: 'guard seen', kind: 'client', 'a2a_gateway.guard.action': 'block' },
    { name: 'guard seen', ended: true },
  ]);
});

it('parts of a call that has ended while they were judged are blocked, whatever onError says', async () => {
  const { chain, audited } = guardList({ onError: 'pass', judge: () => Promise.reject(new Error('stopped')) });
  const ended = chain({ signal: AbortSignal.abort() });
  await expect(ended.judge({ parts: [{ text: 'x' }] })).rejects.toThrow('blocks the answer');
  expect(audited).toEqual([]);
});

it('a guard is about the calls for which its condition holds or cannot be evaluated', () => {
  const { guards } = guardList(
    { name: 'of-agent', where: 'agent == "demo"', judge: () => ({}) },
    { name: 'of-another', where: 'agent == "other"', judge: () => ({}) },
    { name: 'of-large-messages', where: 'size > 1000', judge: () => ({}) },
    { name: 'of-alice', where: 'caller.id == "key:alice"', judge: () => ({}) },
  );
  const known = guards.ofTask({ agent: 'demo', principal: 'key:bob', tenant: '' }).map(({ name }) => name);
  expect(known).toEqual(['of-agent', 'of-large-messages']);
});

it('a stream that its reader leaves ends its source, and one that has failed too', async () => {
  const ended: string[] = [];
  async function* source(name: string): AsyncGenerator<StreamResponse> {
    try {
      yield* chunksOf(['a', 'b', 'c']);
    } finally {
      ended.push(name);
    }
  }
  const allowing = guardList({ judge: () => ({ action: 'allow' }) }).chain();
  const left = new ReadAhead(source('left'), {
    begin: (event) => judgedEvent(event, allowing, async () => false),
    failed: async (thrown) => thrown,
    bytesOf: () => 1024 * 1024,
  });
  await left.next();
  await left.return();
  expect(await left.next()).toEqual({ done: true, value: undefined });
  const blocking = guardList({
    judge: (question) => ({ action: textIn(question) === 'a' ? 'allow' : 'block' }),
  }).chain();
  expect((await shown(blocking, source('blocked'))).texts).toEqual(['a']);
  expect(ended.sort()).toEqual(['blocked', 'left']);
});

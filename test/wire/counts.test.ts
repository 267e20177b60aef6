import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { CountLimits } from '../../src/core/limits/counts.ts';
import { api } from '../../src/core/model/a2a.ts';
import { excessOf, JsonCounter } from '../../src/wire/count-json.ts';
import type { Excess } from '../../src/wire/counts.ts';
import { parseRequest } from '../../src/wire/json-body.ts';
import { decode, encode } from '../../src/wire/protobuf.ts';
import { decodeAnswer, decodeRequest } from '../../src/wire/protobuf-document.ts';
import { Tracker } from '../../src/wire/protobuf-tracker.ts';
import { anyJson, canonicalJson } from '../support/arbitrary-json.ts';

/** Contents of requests and answers are counted in their bytes, before they become objects. */

const unlimited: CountLimits = { parts: 1e9, keys: 1e9, values: 1e9 };

/** Items and members of a value, at any depth. */
function naiveCount(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  const members = Object.values(value);
  return members.reduce((sum: number, member) => sum + naiveCount(member), members.length);
}

const counted = (text: string, limits = unlimited, piece = 1e9): JsonCounter => {
  const counter = new JsonCounter(Buffer.from(text), limits);
  while (!counter.isOver) counter.count(piece);
  return counter;
};

const texts = fc
  .tuple(anyJson, fc.constantFrom(undefined, 2))
  .map(([value, indent]) => ({ value, text: JSON.stringify(value, undefined, indent) }));

it('the values of a JSON text are counted as a walk over the parsed value counts them, in pieces of any size', () => {
  fc.assert(
    fc.property(texts, fc.integer({ min: 1, max: 40 }), ({ value, text }, piece) => {
      expect(counted(text, unlimited, piece).values).toBe(naiveCount(value));
    }),
    { numRuns: 250 },
  );
});

it('the values of a JSON text are refused at the first value too many, and not before', () => {
  fc.assert(
    fc.property(texts, ({ value, text }) => {
      const values = naiveCount(value);
      expect(counted(text, { ...unlimited, values }).excess).toBeUndefined();
      if (values === 0) return;
      const limit = values - 1;
      expect(counted(text, { ...unlimited, values: limit }).excess).toEqual({ what: 'values', limit, path: '' });
    }),
    { numRuns: 150 },
  );
});

it('the values of a JSON text are counted in a text as in a value that other software has parsed', () => {
  const message = fc.record({
    message: fc.record({ parts: fc.array(anyJson, { maxLength: 8 }), metadata: anyJson }),
  });
  fc.assert(
    fc.property(message, fc.integer({ min: 1, max: 6 }), fc.integer({ min: 1, max: 6 }), (value, parts, keys) => {
      const limits = { ...unlimited, parts, keys };
      const [inText, inValue] = [counted(JSON.stringify(value), limits).excess, excessOf(value, limits)];
      // A walk finds the outer object first, and a text the first that is complete.
      expect(inText === undefined).toBe(inValue === undefined);
    }),
    { numRuns: 250 },
  );
});

it('the values of a JSON text of any text, which may be no JSON, are counted without an error', () => {
  const token = fc.constantFrom('{', '}', '[', ']', ',', ':', '"', '\\', 'a', '1', ' ', '"a"', '""', '\\"');
  fc.assert(
    fc.property(fc.array(token, { maxLength: 30 }), fc.integer({ min: 1, max: 9 }), (tokens, piece) => {
      const text = tokens.join('');
      const limits = { parts: 2, keys: 2, values: 5 };
      const inPieces = counted(text, limits, piece);
      expect([inPieces.excess, inPieces.values]).toEqual([counted(text, limits).excess, counted(text, limits).values]);
    }),
    { numRuns: 500 },
  );
});

describe('an excess of a JSON text names its place', () => {
  const limits = { parts: 2, keys: 3, values: 100 };
  it.each<[string, Excess | undefined]>([
    ['{"message":{"parts":[1,2]}}', undefined],
    ['{"message":{"parts":[1,2,3]}}', { what: 'parts', limit: 2, path: 'message.parts' }],
    ['{"message":{"\\u0070arts":[1,2,3]}}', { what: 'parts', limit: 2, path: 'message.parts' }],
    ['{"request":{"content":[1,2,3]}}', { what: 'parts', limit: 2, path: 'request.content' }],
    ['{"a":[{"parts":[]},{"parts":[1,2,3]}]}', { what: 'parts', limit: 2, path: 'a[1].parts' }],
    // Names in data mean nothing.
    ['{"data":{"parts":[1,2,3]}}', undefined],
    ['{"metadata":{"x":{"content":[1,2,3]}}}', undefined],
    ['{"metadata":{},"parts":[1,2,3]}', { what: 'parts', limit: 2, path: 'parts' }],
    ['{"others":[1,2,3]}', undefined],
    ['{"a":1,"b":2,"c":3}', undefined],
    ['{"a":1,"b":2,"c":3,"d":4}', { what: 'keys', limit: 3, path: '' }],
    ['{"a":{"b":[0,{"c":1,"c":2,"c":3,"c":4}]}}', { what: 'keys', limit: 3, path: 'a.b[1]' }],
    ['{"a":"[{,,,,,\\\\\\",,,,"}', undefined],
  ])('an excess of the JSON text %s names its place', (text, excess) => {
    expect(counted(text, limits).excess).toEqual(excess);
    expect(counted(text, limits, 1).excess).toEqual(excess);
  });

  it('an excess names its place however long the names on the way are', () => {
    const name = 'n'.repeat(5_000);
    const { excess } = counted(`{"${name}":{"a":1,"b":2,"c":3,"d":4}}`, limits);
    expect(excess?.path).toBe(`${'n'.repeat(64)}…`);
  });

  it('an excess names its place in a text that nests a million lists', () => {
    expect(counted('['.repeat(1_000_000), { ...limits, values: 10_000 }).excess).toBeUndefined();
  });
});

const counts = { parts: 10, keys: 20, values: 60 };
const refusalOf = async (read: () => unknown): Promise<unknown> => {
  try {
    await read();
    return undefined;
  } catch (thrown) {
    return thrown;
  }
};
const objectOf = (size: number): object => Object.fromEntries(Array.from({ length: size }, (_, i) => [`k${i}`, i]));
const requestOf = (message: object): object => ({
  message: { messageId: 'm', role: 'ROLE_USER', parts: [{ text: 'a' }], ...message },
});

/** Requests at a limit and above it, with what is said of the second. */
const limitsOfRequests = [
  {
    limit: 'parts',
    below: requestOf({ parts: Array(10).fill({ text: '' }) }),
    above: requestOf({ parts: Array(11).fill({ text: '' }) }),
    error: { kind: 'invalidParams', violations: [{ field: 'message.parts' }], metadata: { limit: 'limits.parts' } },
  },
  {
    limit: 'keys',
    below: requestOf({ metadata: { inner: objectOf(20) } }),
    above: requestOf({ metadata: { inner: objectOf(21) } }),
    error: {
      kind: 'invalidParams',
      violations: [{ field: 'message.metadata.inner' }],
      metadata: { limit: 'limits.keys' },
    },
  },
  {
    limit: 'values',
    // Six are the message and its members.
    below: requestOf({ parts: [{ data: Array(54).fill(1) }] }),
    above: requestOf({ parts: [{ data: Array(55).fill(1) }] }),
    error: { kind: 'payloadTooLarge', metadata: { limit: 'limits.values', values: '60' } },
  },
] as const;

const type = 'lf.a2a.v1.SendMessageRequest';

describe.each(limitsOfRequests)('a request with as many $limit as it may have', ({ limit, below, above, error }) => {
  // Large enough that the texts are read in several turns of the event loop.
  const padding = ' '.repeat(1_200_000);

  it.each([
    ['a small text of JSON', '', ''],
    ['a large text of JSON', padding, ''],
    ['a large text of JSON whose padding is behind', '', padding],
  ])(
    `a request with as many ${limit} as it may have is read from %s, and one more is refused`,
    async (_, before, behind) => {
      const read = (value: object) => parseRequest(Buffer.from(before + JSON.stringify(value) + behind), { counts });
      expect(await read(below)).toEqual(below);
      expect(await refusalOf(() => read(above))).toMatchObject(error);
    },
  );

  it(`a request with as many ${limit} as it may have is read from protobuf, and one more is refused`, async () => {
    const read = (value: object) => decodeRequest(api, type, encode(api, type, value), { counts });
    expect(await read(below)).toEqual(decode(api, type, encode(api, type, below)));
    expect(await refusalOf(() => read(above))).toMatchObject(error);
  });
});

describe('a request of JSON-RPC that holds too much', () => {
  const many = JSON.stringify(objectOf(21));
  it.each([
    ['before its id', `{"params":{"metadata":${many}},"id":"r-1","method":"m"}`],
    ['behind its id', `{"id":"r-1","method":"m","params":{"metadata":${many}}}`],
  ])('%s is refused with its id and method', async (_, text) => {
    for (const body of [text, text + ' '.repeat(1_200_000)]) {
      const thrown = await refusalOf(() => parseRequest(Buffer.from(body), { counts, enveloped: true }));
      expect(thrown).toMatchObject({ envelope: { id: 'r-1', method: 'm' }, violations: [{ field: 'metadata' }] });
    }
  });
});

it.each(['SendMessageRequest', 'Task', 'StreamResponse', 'AgentCard'])(
  'the values of a protobuf message of %s are counted as a walk over its JSON counts them',
  (name) => {
    const typeName = `lf.a2a.v1.${name}`;
    fc.assert(
      fc.property(canonicalJson(api, typeName), (json) => {
        const bytes = encode(api, typeName, json);
        const tracker = new Tracker({ limits: unlimited, refusal: () => expect.fail('refused') });
        const tracked = decode(api, typeName, bytes, tracker);
        expect(tracked).toEqual(decode(api, typeName, bytes));
        expect(tracker.values).toBe(naiveCount(tracked));
      }),
      { numRuns: 100 },
    );
  },
);

it('the values of a protobuf message count when one field comes again and again', () => {
  const part = encode(api, 'lf.a2a.v1.Message', { metadata: objectOf(15) });
  const message = Buffer.concat([part, part]);
  const reading = { counts: { parts: 1, keys: 20, values: 1_000 } };
  expect(() => decodeRequest(api, 'lf.a2a.v1.Message', message, reading)).toThrow('metadata has more than 20 keys');
  const role = Buffer.concat(Array(1_001).fill(encode(api, 'lf.a2a.v1.Message', { role: 'ROLE_USER' })));
  expect(() => decodeRequest(api, 'lf.a2a.v1.Message', role, reading)).toThrow('more than 1000 values');
});

it('memory is reserved for the values of a protobuf message, while it is read', () => {
  const reserved: number[] = [];
  const reservation = { reserveParsed: (_: number, size: () => number) => void reserved.push(size()) };
  const bytes = encode(api, type, requestOf({ parts: [{ data: Array(20_000).fill(null) }] }));
  decodeRequest(api, type, bytes, { counts: { ...counts, values: 30_000 }, reservation: reservation as never });
  expect(reserved).toHaveLength(2);
  expect(reserved[1]).toBeGreaterThan(reserved[0] as number);
  expect(reserved[0]).toBeGreaterThan(bytes.length);
});

describe('a damaged protobuf message of an agent', () => {
  const answer = 'lf.a2a.v1.SendMessageResponse';
  const task = {
    task: {
      id: 't',
      status: { state: 'TASK_STATE_COMPLETED' },
      artifacts: [{ artifactId: 'a', parts: [{ text: 'before' }, { text: 'MARK' }, { text: 'behind' }] }],
    },
  };
  const damaged = (value: object, from: string, to: readonly number[]): Buffer => {
    const bytes = Buffer.from(encode(api, answer, value));
    bytes.set(to, bytes.indexOf(from));
    return bytes;
  };
  const partsOf = (message: object): unknown => (message as typeof task).task.artifacts[0]?.parts;

  it('a damaged protobuf message of an agent has its bytes that are not UTF-8 replaced, and is refused where it is not to be mended', () => {
    const bytes = damaged(task, 'MARK', [0x61, 0xff, 0x62, 0x63]);
    const { message, unread } = decodeAnswer(api, answer, bytes, true);
    expect(partsOf(message)).toEqual([{ text: 'before' }, { text: 'a\uFFFDbc' }, { text: 'behind' }]);
    expect(unread).toEqual([{ path: 'task.artifacts[0].parts[1].text', reason: 'has bytes that are not UTF-8' }]);
    expect(() => decodeAnswer(api, answer, bytes, false)).toThrow(expect.objectContaining({ kind: 'parse' }));
  });

  it.each([
    ['NaN', Number.NaN],
    ['Infinity', Number.POSITIVE_INFINITY],
  ])('a damaged protobuf message of an agent loses a number that is %s, and nothing beside it', (_, bad) => {
    const marker = 123_456.789;
    const data = { list: [1, marker, 3], member: marker, other: 'x' };
    const bytes = Buffer.from(
      encode(api, answer, { task: { ...task.task, artifacts: [{ artifactId: 'a', parts: [{ data }] }] } }),
    );
    const [from, to] = [marker, bad].map((number) => {
      const eight = Buffer.alloc(8);
      eight.writeDoubleLE(number);
      return eight;
    }) as [Buffer, Buffer];
    for (let at = bytes.indexOf(from); at >= 0; at = bytes.indexOf(from)) to.copy(bytes, at);
    const { message, unread } = decodeAnswer(api, answer, bytes, true);
    expect(partsOf(message)).toEqual([{ data: { list: [1, 3], other: 'x' } }]);
    expect(unread.map(({ path }) => path)).toEqual([
      'task.artifacts[0].parts[0].data.list[1]',
      'task.artifacts[0].parts[0].data.member',
    ]);
  });

  it('a damaged protobuf message of an agent keeps what came before it broke off', () => {
    const whole = encode(api, 'lf.a2a.v1.Task', task.task);
    const { message, unread } = decodeAnswer(
      api,
      'lf.a2a.v1.Task',
      Buffer.concat([whole, Buffer.of(0x0a, 0x7f)]),
      true,
    );
    expect(message).toEqual(task.task);
    expect(unread).toEqual([{ path: '', reason: 'could not be read: premature end' }]);
  });

  it('a damaged protobuf message of an agent is refused where nothing of it can be read', () => {
    expect(() => decodeAnswer(api, answer, Buffer.from([0xff, 0xff, 0xff]), true)).toThrow('Invalid protobuf message');
  });

  it('a damaged protobuf message of an agent is decoded to something, or refused as not readable, whatever bytes are changed', () => {
    const bytes = encode(api, answer, task);
    const change = fc.tuple(fc.nat(bytes.length - 1), fc.nat(255));
    fc.assert(
      fc.property(fc.array(change, { minLength: 1, maxLength: 4 }), (changes) => {
        const changed = Buffer.from(bytes);
        for (const [at, byte] of changes) changed[at] = byte;
        try {
          expect(decodeAnswer(api, answer, changed, true).message).toBeTypeOf('object');
        } catch (thrown) {
          expect(thrown).toMatchObject({ kind: 'parse' });
        }
      }),
      { numRuns: 500 },
    );
  });
});

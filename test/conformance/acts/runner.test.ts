import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { mismatches, namedMismatches } from './assertions.ts';
import { errorForm } from './errors.ts';
import { differences, readKnown } from './known.ts';
import { operationOf } from './operations.ts';
import { readTest } from './read.ts';
import type { Result } from './run.ts';
import { runSteps, type StepFailed, type Sut } from './steps.ts';
import { streamMismatches } from './stream.ts';
import { failed, isOfKind, Refused, type Reply, type WireError } from './transports/transport.ts';
import { meets, NotUnderstood, resolved, type Value, valuesAt } from './values.ts';

/** The runner of ACTS, with small tests of its own. A runner that passes everything, or skips what it does not know, fails here. */

const holds = (actual: Value, yaml: string): boolean => mismatches(actual, parse(yaml)).length === 0;

const answer = { task: { id: 't1', status: { state: 'TASK_STATE_WORKING' }, artifacts: [{ parts: [{ text: 'a' }] }] } };

// Each with a value that meets it, and one that does not.
it.each<[yaml: string, good: Value, bad: Value]>([
  ['TASK_STATE_WORKING', 'TASK_STATE_WORKING', 'TASK_STATE_COMPLETED'],
  ['null', null, undefined],
  ['{ type: string }', 'x', 1],
  ['{ type: number }', 1, '1'],
  ['{ type: boolean }', false, 0],
  ['{ type: array }', [], {}],
  ['{ type: object }', {}, []],
  ['{ type: "null" }', null, undefined],
  ['{ exists: true }', null, undefined],
  ['{ absent: true }', undefined, null],
  ['{ contains: ell }', 'hello', 'help'],
  ['{ matches: "^h.*o$" }', 'hello', 'help'],
  ['{ starts_with: he }', 'hello', 'ohe'],
  ['{ ends_with: lo }', 'hello', 'loh'],
  ['{ gte: 2 }', 2, 1],
  ['{ lte: 2 }', 2, 3],
  ['{ gt: 2 }', 3, 2],
  ['{ lt: 2 }', 1, 2],
  ['{ gte: 2 }', 2, '2'],
  ['{ count: 1 }', [1], []],
  ['{ count_gte: 1 }', [1, 2], []],
  ['{ count_lte: 1 }', [1], [1, 2]],
  ['{ count: 1 }', [1], 'a'],
  ['{ one_of: [a, b] }', 'b', 'c'],
  ['{ any_of: [{ absent: true }, { count: 0 }] }', [], [1]],
  ['{ all_of: [{ contains: a }, { contains: b }] }', 'ab', 'a'],
  ['{ not: { contains: a } }', 'b', 'a'],
  ['{ items: { id: { exists: true } } }', [{ id: 1 }, { id: 2 }], [{ id: 1 }, {}]],
  ['{ items: [{ id: 1 }] }', [{ id: 1 }, { id: 2 }], [{ id: 2 }]],
  ['{ type: array, count_gte: 1 }', [1], []],
  ['{ type: { type: string } }', { type: 'about:blank' }, {}],
  ['[{ text: a }]', [{ text: 'a' }, {}], [{ text: 'b' }]],
  ['{ task: { status: { state: TASK_STATE_WORKING } } }', answer, { task: {} }],
  ['{ task_id: { absent: true } }', {}, { task_id: '' }],
])('the assertion %s holds for what it says, and for nothing else', (yaml, good, bad) => {
  expect([holds(good, yaml), holds(bad, yaml)]).toEqual([true, false]);
});

it('an assertion names the place of a mismatch', () => {
  const [first] = mismatches(answer, parse('{ task: { artifacts: [{ parts: [{ text: b }] }] } }'));
  expect(first).toEqual({ path: 'task.artifacts[0].parts[0].text', expected: 'b', actual: 'a' });
});

it.each(['{ exists: false }', '{ type: integer }', '{ count: many }', '{ one_of: a }'])(
  'the assertion %s is not understood',
  (yaml) => {
    expect(() => mismatches('a', parse(yaml))).toThrow(NotUnderstood);
  },
);

it.each([
  ['{ any: { path: "parts[*]", match: { text: a } } }', true],
  ['{ any: { path: "parts[*]", match: { text: c } } }', false],
  ['{ all: { path: "parts[*]", match: { text: { type: string } } } }', true],
  ['{ all: { path: "parts[*]", match: { text: a } } }', false],
  ['{ none: { path: "parts[*]", match: { text: c } } }', true],
  ['{ none: { path: "parts[*]", match: { text: a } } }', false],
  ['{ path: "parts[1].text", match: b }', true],
  ['{ path: "parts[1].text", match: a }', false],
])('an assertion of a collection: %s is %s', (yaml, expected) => {
  const source = { parts: [{ text: 'a' }, { text: 'b' }] };
  expect(namedMismatches({ source, ...parse(yaml) }).length === 0).toBe(expected);
});

it.each(['{}', '{ some: { path: a, match: {} } }', '{ any: { path: "a..b", match: {} } }'])(
  'an assertion of a collection: %s is not understood',
  (yaml) => {
    expect(() => namedMismatches({ source: {}, ...parse(yaml) })).toThrow(NotUnderstood);
  },
);

describe('a stream', () => {
  const status = (state: string) => ({ statusUpdate: { status: { state: `TASK_STATE_${state}` } } });
  const events = [status('WORKING'), { artifactUpdate: { artifact: { artifactId: 'a' } } }, status('COMPLETED')];
  const good = (yaml: string, of: readonly Value[] = events): boolean => streamMismatches(of, parse(yaml)).length === 0;

  it.each([
    ['{ min_count: 3 }', true],
    ['{ min_count: 4 }', false],
    ['{ max_count: 3 }', true],
    ['{ max_count: 2 }', false],
    ['{ final_event: { status: { state: TASK_STATE_COMPLETED } } }', true],
    ['{ final_event: { status: { state: TASK_STATE_WORKING } } }', false],
    ['{ final_event: { message: { exists: true } } }', false],
    ['{ events: [{ status_update: { status: { state: TASK_STATE_WORKING } } }] }', true],
    ['{ events: [{ artifact: { exists: true } }] }', false],
    ['{ events: [{ match: any_position, artifact: { exists: true } }] }', true],
    ['{ events: [{ match: any_position, task: { exists: true } }] }', false],
    ['{ events: [{ index: 2, one_of: [{ task: { exists: true } }, { status: { exists: true } }] }] }', true],
    ['{ events: [{ index: 1, one_of: [{ task: { exists: true } }, { status: { exists: true } }] }] }', false],
    ['{ each_event: { status: { exists: true } } }', false],
    ['{ ordering: monotonic_state }', true],
  ])('a stream that is to be %s is %s', (yaml, expected) => {
    expect(good(yaml)).toBe(expected);
  });

  it.each([
    ['WORKING', 'SUBMITTED'],
    ['COMPLETED', 'WORKING'],
    ['FAILED', 'COMPLETED'],
  ])('a stream goes back from %s to %s', (before, after) => {
    expect(good('{ ordering: monotonic_state }', [status(before), status(after)])).toBe(false);
  });

  it.each(['{ ordering: any }', '{ first_event: {} }', '{ events: [{ match: somewhere }] }'])(
    'a stream that is to be %s is not understood',
    (yaml) => {
      expect(() => good(yaml)).toThrow(NotUnderstood);
    },
  );
});

describe('variables, paths and conditions', () => {
  const variables = new Map<string, Value>([
    ['send.response', answer],
    ['send.taskId', 't1'],
    ['base', 'http://{{host}}'],
    ['host', 'localhost'],
  ]);

  it('variables, paths and conditions are put into texts and lists, and keep their type where they are all of a text', () => {
    expect(resolved({ id: '{{send.taskId}}', of: ['{{ send.response }}'] }, variables)).toEqual({
      id: 't1',
      of: [answer],
    });
    expect(resolved('{{base}}/{{send.taskId}}', variables)).toBe('http://localhost/t1');
    expect(resolved('{{$uuid}}', variables)).toMatch(/^[\da-f-]{36}$/);
  });

  it('variables that were never set are an error', () => {
    expect(() => resolved('{{other.taskId}}', variables)).toThrow('other.taskId is not set');
  });

  it('paths lead to elements and to all of a list', () => {
    expect(valuesAt(answer, 'task.artifacts[0].parts[*]')).toEqual([{ text: 'a' }]);
    expect(valuesAt(answer, 'task.artifacts[1]')).toEqual([]);
    expect(valuesAt(answer, 'task.constructor')).toEqual([]);
  });

  it.each([
    ['task.id == t1', true],
    ['task.id != t1', false],
    ['task.status.state in [TASK_STATE_COMPLETED, TASK_STATE_WORKING]', true],
    ['task.status.state in [TASK_STATE_COMPLETED]', false],
  ])('the condition or path %s is %s', (condition, expected) => {
    expect(meets(condition, answer)).toBe(expected);
  });

  it.each(['task.id', 'task.id > 1', 'task.id in t1'])('the condition or path %s is not understood', (condition) => {
    expect(() => meets(condition, answer)).toThrow(NotUnderstood);
  });
});

describe('an error', () => {
  const notFound: WireError = { code: 404, message: '', reason: 'TASK_NOT_FOUND' };

  it('an error is recognised by its code, and by its reason where kinds share a status', () => {
    expect(isOfKind(notFound, errorForm('TaskNotFoundError'), 'rest')).toBe(true);
    const refused = { code: 400, message: '', reason: 'UNSUPPORTED_OPERATION' };
    expect(isOfKind(refused, errorForm('UnsupportedOperationError'), 'rest')).toBe(true);
    expect(isOfKind(refused, errorForm('TaskNotCancelableError'), 'rest')).toBe(false);
    expect(isOfKind({ code: 400, message: '' }, errorForm('TaskNotCancelableError'), 'rest')).toBe(false);
    expect(isOfKind({ code: -32001, message: '' }, errorForm('TaskNotFoundError'), 'jsonrpc')).toBe(true);
    expect(isOfKind({ code: -32603, message: '' }, errorForm('TaskNotFoundError'), 'jsonrpc')).toBe(false);
  });

  it('an error that A2A does not have is not understood', () => {
    expect(() => errorForm('ExtendedCardNotSupportedError')).toThrow(NotUnderstood);
  });
});

it('an operation has the ids of a message in it, and an id of its own', () => {
  const { params } = operationOf('send_message', { taskId: 't1', message: { parts: [] } });
  expect(params).toEqual({ message: { messageId: expect.any(String), taskId: 't1', parts: [] } });
});

it('an operation that the runner does not know is not understood', () => {
  expect(() => operationOf('delete_task')).toThrow(NotUnderstood);
});

describe('a test', () => {
  const reply = (body: Value): Reply => ({ status: 200, headers: {}, body });
  const notFound = failed(200, {}, { code: -32001, message: 'Task not found', reason: 'TASK_NOT_FOUND' });

  /** A server that answers these calls in order. */
  const sutOf = (...replies: readonly Reply[]): Sut => {
    const waiting = [...replies];
    return {
      origin: 'http://localhost',
      credentials: {},
      parse: async () => ({}),
      transport: {
        binding: 'jsonrpc',
        call: async () => waiting.shift() ?? notFound,
        stream: () => ({
          events: (async function* () {
            yield { statusUpdate: { status: { state: 'TASK_STATE_COMPLETED' } } };
          })(),
          close() {},
        }),
        close() {},
      },
    };
  };

  const run = (yaml: string, sut: Sut) => runSteps(readTest(parse(yaml), [], {}), sut, new Map());
  const test = (steps: string): string => `{ id: T-1, name: A test, level: must, steps: [${steps}] }`;
  const get = (more: string): string => `{ id: get, operation: get_task, params: { id: t1 }, ${more} }`;
  const working = reply({ id: 't1', status: { state: 'TASK_STATE_WORKING' } });
  const completed = reply({ id: 't1', status: { state: 'TASK_STATE_COMPLETED' } });

  it.each([
    get('expect: { status: 200, body: { id: t1 } }'),
    get('expect: { id: t1 }'),
    get('capture: { taskId: id }, assertions: [{ source: "{{get.taskId}}", match: t1 }]'),
    get('repeat: { until: "status.state == TASK_STATE_COMPLETED", delay_ms: 0 }'),
    '{ id: stream, operation: subscribe_to_task, params: { id: t1 }, expect_stream: { min_count: 1 } }',
  ])('a test passes where the answers are as its steps expect: %s', async (steps) => {
    await expect(run(test(steps), sutOf(working, completed))).resolves.toHaveLength(1);
  });

  it.each([
    [get('expect: { status: 200, body: { id: t2 } }'), 'expected "t2", and got "t1"'],
    [get('expect: { status: 500 }'), 'status: expected 500'],
    [get('expect: { id: t2 }'), 'expected "t2"'],
    [get('expect: { status: error }'), 'no error'],
    [get('expect_error: { code: TaskNotFoundError }'), 'no error'],
    [get('capture: { taskId: task.id }'), 'nothing to capture at task.id'],
    [get('assertions: [{ source: "{{get.response}}", path: id, match: t2 }]'), 'expected "t2"'],
    [
      get('repeat: { until: "status.state == TASK_STATE_FAILED", max_attempts: 2, delay_ms: 0 }'),
      'after 2 attempts not',
    ],
    [
      '{ id: stream, operation: subscribe_to_task, params: { id: t1 }, expect_stream: { min_count: 2 } }',
      'number of events',
    ],
  ])('a test fails where they are not: %s', async (steps, message) => {
    const failure: StepFailed = await run(test(steps), sutOf(working, completed)).then(
      () => expect.fail('it passes'),
      (thrown) => thrown,
    );
    expect(failure.message).toContain(message);
    expect(failure.constructor.name).toBe('StepFailed');
  });

  it('a test fails for an answer that is an error where none is expected, and for another error than the expected one', async () => {
    const all = ['expect: { status: 200 }', 'expect: { body: { id: t1 } }', 'capture: { a: id }'];
    for (const more of [...all, 'expect_error: { code: InternalError }', 'expect_error: { message: other }'])
      await expect(run(test(get(more)), sutOf(notFound)), more).rejects.toThrow();
    await expect(
      run(test(get('expect_error: { error_type: TaskNotFoundError }')), sutOf(notFound)),
    ).resolves.toBeDefined();
  });

  it('a test fails where a stream ends with an error', async () => {
    const sut = sutOf();
    const refused = async function* (): AsyncGenerator<Value> {
      yield* [];
      throw new Refused({ code: -32004, message: 'no streams' });
    };
    const broken = { ...sut, transport: { ...sut.transport, stream: () => ({ events: refused(), close() {} }) } };
    const steps = '{ id: stream, operation: subscribe_to_task, expect_stream: { max_count: 5 } }';
    await expect(run(test(steps), broken)).rejects.toThrow('the stream ended with an error');
  });

  it.each([
    get('expects: { status: 200 }'),
    get('expect_error: { reason: X }'),
    get('repeat: { while: x }'),
    '{ id: a, operation: delete_task }',
    '{ id: a, raw: { verb: GET, path: / } }',
    '{ id: a, wait: 5 }',
  ])('a test with a member that the runner does not know is no pass: %s', async (steps) => {
    await expect(run(test(steps), sutOf(working))).rejects.toThrow(NotUnderstood);
  });

  it.each([
    '{ id: T-1, name: A test, level: must, steps: [{ id: a }], retries: 3 }',
    '{ id: T-1, name: A test, level: must, steps: [{ id: a }], transport: [soap] }',
    '{ id: T-1, name: A test, level: must, steps: [{ id: a }], preconditions: { skills: [] } }',
    '{ id: T-1, name: A test, level: would, steps: [{ id: a }] }',
    '{ id: T-1, name: A test, level: must, steps: [] }',
  ])('a test has a problem where the runner does not know its head: %s', (yaml) => {
    expect(readTest(parse(yaml), [], {}).problem).toMatch(/\S/);
  });
});

describe('the list of known failures', () => {
  const results = (result: Result['result']): Result[] => [
    { test: readTest(parse('{ id: T-1, level: must, steps: [{}] }'), [], {}), result, reason: 'because' },
  ];
  const rows = (result: Result['result'], name = '0.1 rest auth') => new Map([[name, results(result)]]);

  it('the list of known failures is read with its reasons, and every line has one', () => {
    expect(readKnown().length).toBeGreaterThan(0);
    expect(() => readKnown('T-1 *')).toThrow('without its reason');
  });

  it.each(['*', '0.1', '0.1 rest', '* rest auth', '* * auth'])(
    'the list of known failures has a failure of a row by %s',
    (row) => {
      const known = readKnown(`# A reason\nT-1 ${row}`);
      expect(differences(rows('fail'), known)).toEqual([]);
      expect(differences(rows('pass'), known)).toEqual(['0.1 rest auth T-1: passes: take it off the list']);
    },
  );

  it.each(['0.2', '* grpc', '0.1 rest none'])('the list of known failures does not have it by %s', (row) => {
    expect(differences(rows('fail'), readKnown(`# A reason\nT-1 ${row}`))).toEqual([
      '0.1 rest auth T-1: fail: because',
    ]);
  });

  it('the list of known failures never excuses an error of the runner', () => {
    expect(differences(rows('error'), readKnown('# A reason\nT-1 *'))).toHaveLength(1);
  });
});

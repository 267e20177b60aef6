import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { Task } from '../../../src/core/model/a2a.ts';
import { unreadIn } from '../../../src/core/model/unread.ts';
import type { Dialect } from '../../../src/dialects/kernel/dialect.ts';
import { createDialects } from '../../../src/dialects/registry.ts';
import { agentOf, type GetMode } from '../../mutants/agent.ts';
import { openStore, startCore, taskIn, userMessage } from '../../support/core.ts';

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'Date', 'performance'] });
});

afterEach(() => {
  vi.useRealTimers();
});

const a2a03 = createDialects().byName.get('a2a-0.3') as Dialect;
const ids = { taskId: 't-1', contextId: 'c-1' };
const working = { kind: 'task', id: 't-1', contextId: 'c-1', status: { state: 'working' } };
const good = { kind: 'text', text: 'The answer is 42.' };

const statusUpdate = (state: string, more: object = {}) => ({
  kind: 'status-update',
  ...ids,
  final: true,
  status: { state, ...more },
});

const artifactUpdate = (parts: unknown, more: object = {}) => ({
  kind: 'artifact-update',
  ...ids,
  artifact: { artifactId: 'a', parts },
  ...more,
});

/** The task of a message to an agent of A2A 0.3 that streams some events. */
async function taskOf(
  events: readonly object[],
  get: GetMode,
  kept: object = { ...working, status: { state: 'completed' } },
) {
  const frames = [working, ...events].map((data) => ({ data }));
  const bareTask = { ...kept, artifacts: undefined };
  const answers = {
    dialect: a2a03,
    binding: 'jsonrpc',
    name: 'agent',
    streams: true,
    frames,
    task: kept,
    bareTask,
  } as const;
  const store = await openStore();
  const bench = await startCore({ agent: agentOf('agent', answers, get, store) }, { store, answer: 86_400_000 });
  let task: Task | undefined;
  const answered = bench.call('SendMessage', { message: userMessage('hello') }).then((answer) => {
    task = taskIn(answer);
  });
  while (!task) {
    await vi.advanceTimersByTimeAsync(50);
    await Promise.race([answered, new Promise((resolve) => setImmediate(resolve))]);
  }
  await bench.close();
  return task;
}

const textsOf = ({ artifacts = [] }: Task): (string | undefined)[] =>
  artifacts.flatMap(({ parts }) => parts.map(({ text }) => text));

test.each([
  ['cancelled', 'TASK_STATE_CANCELED'],
  ['input_required', 'TASK_STATE_INPUT_REQUIRED'],
  ['COMPLETED', 'TASK_STATE_COMPLETED'],
  ['TASK_STATE_REJECTED', 'TASK_STATE_REJECTED'],
])('a task that an agent ends as %s is %s', async (state, expected) => {
  const task = await taskOf([artifactUpdate([good]), statusUpdate(state)], 'fails');
  expect(task.status.state).toBe(expected);
  expect(textsOf(task)).toEqual(['The answer is 42.']);
});

test.each(['success', 'unknown'])(
  'a task that an agent ends as %s fails, quotes that, and keeps its artifacts',
  async (state) => {
    const task = await taskOf([artifactUpdate([good]), statusUpdate(state)], 'fails');
    expect(task.status.state).toBe('TASK_STATE_FAILED');
    expect(task.status.message?.parts[0]?.text).toContain(`"${state}"`);
    expect(textsOf(task)).toEqual(['The answer is 42.']);
  },
);

test('a task whose agent can tell its state when it is asked has that state', async () => {
  const task = await taskOf([artifactUpdate([good]), statusUpdate('success')], 'leaves out');
  expect(task.status.state).toBe('TASK_STATE_COMPLETED');
  expect(unreadIn(task.metadata)).toEqual(['status.state: unknown state "success"']);
});

test('a task fails whose agent reports an unknown state for as long as agents may be silent', async () => {
  const napping = { ...working, status: { state: 'napping' } };
  const task = await taskOf([], 'repeats', napping);
  expect(task.status.message?.parts[0]?.text).toContain('"napping"');
});

test.each<GetMode>(['repeats', 'leaves out', 'fails'])(
  'a part of an unknown kind is left out by name, where tasks/get %s',
  async (get) => {
    const parts = [good, { kind: 'image', url: 'https://example.com/x.png' }];
    const kept = { ...working, status: { state: 'completed' }, artifacts: [{ artifactId: 'a', parts }] };
    const task = await taskOf([artifactUpdate(parts), statusUpdate('completed')], get, kept);
    expect(task.status.state).toBe('TASK_STATE_COMPLETED');
    expect(textsOf(task)).toEqual(['The answer is 42.']);
    expect(unreadIn(task.metadata)).toEqual(['artifacts[0].parts[1]: unknown kind "image"']);
  },
);

test('a character that two chunks have one half of each arrives whole', async () => {
  const events = [
    artifactUpdate([{ kind: 'text', text: 'fine \ud83d' }]),
    artifactUpdate([{ kind: 'text', text: '\ude00 end' }], { append: true }),
    statusUpdate('completed'),
  ];
  const task = await taskOf(events, 'leaves out');
  expect(textsOf(task)).toEqual(['fine ', '😀 end']);
  expect(unreadIn(task.metadata)).toEqual([]);
});

test('half a character whose other half does not come is named', async () => {
  const events = [artifactUpdate([{ kind: 'text', text: 'fine \ud83d' }]), statusUpdate('completed')];
  const task = await taskOf(events, 'leaves out');
  expect(textsOf(task)).toEqual(['fine ']);
  expect(unreadIn(task.metadata)).toEqual(['artifact.parts.text: ended in half a character']);
});

test.each([
  ['base64 with line breaks', 'aGVsbG8gd29y\r\nbGQ='],
  ['a data URL', 'data:text/plain;base64,aGVsbG8gd29ybGQ='],
  ['base64 without padding', 'aGVsbG8gd29ybGQ'],
])('the bytes of a file arrive that are %s', async (_, bytes) => {
  const task = await taskOf(
    [artifactUpdate([{ kind: 'file', file: { bytes } }]), statusUpdate('completed')],
    'leaves out',
  );
  expect(task.artifacts?.[0]?.parts[0]?.raw).toBe('aGVsbG8gd29ybGQ=');
});

test('an artifact without an id gets one that stays when the agent repeats it', async () => {
  const artifact = { name: 'answer', parts: [good] };
  const kept = { ...working, status: { state: 'completed' }, artifacts: [artifact] };
  const task = await taskOf([{ kind: 'artifact-update', ...ids, artifact }], 'repeats', kept);
  expect(task.artifacts).toMatchObject([{ artifactId: 'answer', name: 'answer' }]);
});

test('metadata that PHP writes as an empty list, a time in seconds and a message without parts cost nothing else', async () => {
  const message = { kind: 'message', role: 'agent', messageId: 'm', parts: [] };
  const events = [
    artifactUpdate([good], { metadata: [] }),
    statusUpdate('completed', { message, timestamp: 1_764_324_000 }),
  ];
  const task = await taskOf(events, 'leaves out');
  expect(textsOf(task)).toEqual(['The answer is 42.']);
  expect(task.status).toMatchObject({ state: 'TASK_STATE_COMPLETED', timestamp: '2025-11-28T10:00:00.000Z' });
});

const answer = { artifactId: 'a', parts: [good] };
const message = { kind: 'message', role: 'agent', messageId: 'm', parts: [good] };

/** Text of the task's status and of its artifacts. */
const saidBy = ({ status, artifacts = [] }: Task): string =>
  JSON.stringify([status.message?.parts, artifacts.map(({ parts }) => parts)]);

/** A completed task that the agent's stream begins and ends with. */
const completed = (more: object) => taskOf([{ ...working, status: { state: 'completed' }, ...more }], 'leaves out');

test.each<[what: string, more: object, said?: string]>([
  ['a status that is a text', { status: 'completed', artifacts: [answer] }],
  ['a state beside the task', { status: undefined, state: 'completed', artifacts: [answer] }],
  ['a state in an object', { status: { state: { value: 'completed' } }, artifacts: [answer] }],
  ['a state as Python prints it', { status: { state: "<TaskState.completed: 'completed'>" }, artifacts: [answer] }],
  ['parts that are a text', { artifacts: [{ artifactId: 'a', parts: good.text }] }],
  ['parts that are an object', { artifacts: [{ artifactId: 'a', parts: good }] }],
  ['parts in a list of lists', { artifacts: [{ artifactId: 'a', parts: [[good]] }] }],
  ['texts for parts', { artifacts: [{ artifactId: 'a', parts: [good.text] }] }],
  ['parts of another generation', { artifacts: [{ artifactId: 'a', parts: [{ type: 'text', text: good.text }] }] }],
  ['parts in a model of Python', { artifacts: [{ artifactId: 'a', parts: [{ root: good }] }] }],
  ['parts with content', { artifacts: [{ artifactId: 'a', parts: [{ kind: 'text', content: good.text }] }] }],
  [
    'texts that are objects',
    { artifacts: [{ artifactId: 'a', parts: [{ kind: 'text', text: { text: good.text } }] }] },
  ],
  ['data that is called text', { artifacts: [{ parts: [{ kind: 'text', data: { is: 'inner' } }] }] }, '"inner"'],
  ['a URL for a file', { artifacts: [{ parts: [{ kind: 'file', file: 'https://a.test/x' }] }] }, 'https://a.test/x'],
  [
    'a file without `file`',
    { artifacts: [{ parts: [{ kind: 'file', uri: 'https://a.test/x' }] }] },
    'https://a.test/x',
  ],
  ['a file of 0.3 over gRPC', { artifacts: [{ parts: [{ kind: 'file', file: { fileWithBytes: 'aGk=' } }] }] }, 'aGk='],
  ['bytes as numbers', { artifacts: [{ parts: [{ kind: 'file', file: { bytes: [104, 105] } }] }] }, 'aGk='],
  [
    'a Buffer of Node',
    { artifacts: [{ parts: [{ kind: 'file', file: { bytes: { type: 'Buffer', data: [104, 105] } } }] }] },
    'aGk=',
  ],
  [
    'empty bytes beside a URL',
    { artifacts: [{ parts: [{ kind: 'file', file: { bytes: '', uri: 'https://a.test/x' } }] }] },
    'https://a.test/x',
  ],
  ['artifacts with content', { artifacts: [{ artifactId: 'a', content: [good] }] }],
  ['artifacts by their names', { artifacts: { a: { parts: [good] } } }],
  ['artifacts that are a text', { artifacts: good.text }],
  ['texts for artifacts', { artifacts: [good.text] }],
  ['parts for artifacts', { artifacts: [good] }],
  ['a single artifact', { artifact: answer }],
  ['a message that is a text', { status: { state: 'completed', message: good.text } }],
  ['a message that is a part', { status: { state: 'completed', message: good } }],
  ['a message of a chat', { status: { state: 'completed', message: { role: 'assistant', content: good.text } } }],
  [
    'a message with parts that are a text',
    { status: { state: 'completed', message: { ...message, parts: good.text } } },
  ],
  ['a message beside the status', { message }],
])('a task arrives whole that has %s', async (_, more, said = good.text) => {
  const task = await completed(more);
  expect(saidBy(task)).toContain(said);
  expect(task.status.state).toBe('TASK_STATE_COMPLETED');
});

test('artifacts of one id are one artifact with the parts of all', async () => {
  const other = { artifactId: 'a', parts: [{ kind: 'text', text: 'And more.' }] };
  const task = await completed({ artifacts: [answer, other] });
  expect(textsOf(task)).toEqual(['The answer is 42.', 'And more.']);
  expect(unreadIn(task.metadata)).toHaveLength(1);
});

test('a file that has bytes and a URL keeps its bytes, and the URL is named', async () => {
  const file = { bytes: 'aGk=', uri: 'https://a.test/x' };
  const task = await completed({ artifacts: [{ artifactId: 'a', parts: [{ kind: 'file', file }] }] });
  expect(task.artifacts?.[0]?.parts[0]?.raw).toBe('aGk=');
  expect(unreadIn(task.metadata)).toEqual(['parts.file.uri: is left out: it stands beside bytes']);
});

test.each(['event', 'data', 'result'])('the events of a stream arrive that are in a member "%s"', async (name) => {
  const events = [artifactUpdate([good]), statusUpdate('completed')].map((event) => ({ [name]: event }));
  const task = await taskOf(events, 'leaves out');
  expect(textsOf(task)).toEqual(['The answer is 42.']);
  expect(task.status.state).toBe('TASK_STATE_COMPLETED');
});

test('an artifact that has a text in place of parts arrives by its stream', async () => {
  const event = { kind: 'artifact-update', ...ids, artifact: { artifactId: 'a', text: good.text } };
  const task = await taskOf([event, statusUpdate('completed')], 'leaves out');
  expect(textsOf(task)).toEqual(['The answer is 42.']);
});

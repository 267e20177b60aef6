import { describe, expect, it } from 'vitest';
import { StreamPrinter } from '../../src/cli/commands/send.ts';
import type { Output } from '../../src/cli/output.ts';
import { createJoiner, failureText, joinParts, ownCommand, shellWord, taskText } from '../../src/cli/render.ts';
import type { StreamResponse, Task, TaskState } from '../../src/client/index.ts';
import { oneLine, withoutControls } from '../../src/core/model/text.ts';

const texts = (...pieces: string[]) => pieces.map((text) => ({ text }));

it.each([
  [['chunk 1', 'chunk 2', 'chunk 3'], 'chunk 1\nchunk 2\nchunk 3'],
  [['Hel', 'lo', ' wor', 'ld', '.'], 'Hello world.'],
  [['The answer ', 'is', ' 42', ', I think'], 'The answer is 42, I think'],
  [['one line\n', 'another'], 'one line\nanother'],
  [['alone'], 'alone'],
])('parts of text %j are joined as they are meant', (pieces, joined) =>
  expect(joinParts(texts(...pieces))).toBe(joined),
);

it('parts of other sorts have lines of their own', () => {
  const parts = [
    { text: 'see' },
    { data: { answer: 42 } },
    { url: 'https://x.example/a.png', mediaType: 'image/png', filename: 'a.png' },
    { raw: 'AAAA', mediaType: 'image/png' },
  ];
  expect(joinParts(parts)).toBe(
    'see\n{\n  "answer": 42\n}\n[a.png: image/png, https://x.example/a.png]\n[file: image/png, 3 bytes]',
  );
  expect(createJoiner().count).toBe(0);
});

const recorder = (): Output & { text: string; last: string } => ({
  text: '',
  last: '',
  print(text) {
    this.text += text;
  },
  json() {},
  table() {},
  note() {},
  progress(line) {
    this.last = line;
  },
  clearProgress() {},
});

const artifact = (id: string, text: string, append = false): StreamResponse => ({
  artifactUpdate: { taskId: 't', contextId: 'c', append, artifact: { artifactId: id, parts: [{ text }] } },
});
const status = (state: TaskState, text?: string): StreamResponse => ({
  statusUpdate: {
    taskId: 't',
    contextId: 'c',
    status: {
      state,
      ...(text !== undefined && { message: { messageId: 'm', role: 'ROLE_AGENT', parts: [{ text }] } }),
    },
  },
});

it.each([
  ['npx', 'a2a-gateway', 'npx a2a-gateway'],
  ['npx', '"a2a-gateway"', 'npx a2a-gateway'],
  ['npx', 'vitest', 'a2a-gateway'],
  ['dev', 'a2a-gateway serve --dev agent.ts', 'a2a-gateway'],
  [undefined, undefined, 'a2a-gateway'],
])('commands to run next begin as the user has begun: npm runs %s of %s, so it is %s', (event, script, expected) => {
  expect(ownCommand({ npm_lifecycle_event: event, npm_lifecycle_script: script })).toBe(expected);
});

describe('a stream', () => {
  const print = (...events: StreamResponse[]) => {
    const output = recorder();
    const printer = new StreamPrinter(output);
    for (const event of events) printer.event(event);
    printer.end();
    return output;
  };

  it('a stream without artifacts has its last status message as the reply, as agents answer that only say how they are doing', () => {
    const printer = new StreamPrinter(recorder());
    printer.event(status('TASK_STATE_WORKING', 'thinking'));
    printer.event(status('TASK_STATE_WORKING', 'Hello, Ada!'));
    printer.event(status('TASK_STATE_COMPLETED'));
    expect(printer.reply).toBe('Hello, Ada!');
    printer.event(artifact('a', 'the answer'));
    expect(printer.reply).toBe('');
  });

  it('a stream is printed as it comes, each artifact on lines of its own', () => {
    const { text, last } = print(
      status('TASK_STATE_WORKING', 'thinking'),
      artifact('a', 'Hel'),
      artifact('a', 'lo', true),
      artifact('b', 'second'),
      artifact('a', '!', true),
      artifact('b', 'anew'),
    );
    expect(text).toBe('Hello\nsecond\n!\nanew\n');
    expect(last).toBe('working thinking');
  });

  it('a stream does not print again what a Task brings along', () => {
    const task: Task = {
      id: 't',
      status: { state: 'TASK_STATE_WORKING' },
      artifacts: [{ artifactId: 'a', parts: texts('chunk 1', 'chunk 2') }],
    };
    expect(print(artifact('a', 'chunk 1'), { task }, artifact('a', 'chunk 3', true)).text).toBe(
      'chunk 1\nchunk 2\nchunk 3\n',
    );
  });

  it('a stream prints only what is new of an artifact that is sent repeatedly', () => {
    expect(print(artifact('a', 'one'), artifact('a', 'one two'), artifact('a', 'one two three')).text).toBe(
      'one two three\n',
    );
  });

  it('a stream may be one message', () => {
    expect(print({ message: { messageId: 'm', role: 'ROLE_AGENT', parts: texts('hi') } }).text).toBe('hi\n');
  });
});

it("an agent's words cannot steer the terminal", () => {
  expect(withoutControls('a\u001b[2Jb\u0007\tc\nd\u009b')).toBe('a\uFFFD[2Jb\uFFFD\tc\nd\uFFFD');
  expect(oneLine('  a\r\n b   c ', 80)).toBe('a b c');
  expect(oneLine('abcdef', 4)).toBe('abc…');
});

it("an agent's words are on one line when a task failed", () => {
  const message = { messageId: 'm', role: 'ROLE_AGENT' as const, parts: texts('no\nfuel') };
  expect(failureText({ id: 't', status: { state: 'TASK_STATE_FAILED', message } })).toBe('task t failed: no fuel');
  expect(failureText({ id: 't', status: { state: 'TASK_STATE_REJECTED' } })).toBe('task t was rejected');
});

it('the printed reply is the question, or else the artifacts', () => {
  const message = { messageId: 'm', role: 'ROLE_AGENT' as const, parts: texts('Who?') };
  const artifacts = [{ artifactId: 'a', parts: texts('so far') }];
  expect(taskText({ id: 't', artifacts, status: { state: 'TASK_STATE_INPUT_REQUIRED', message } })).toBe(
    'so far\nWho?',
  );
  expect(taskText({ id: 't', artifacts, status: { state: 'TASK_STATE_COMPLETED', message } })).toBe('so far');
  expect(taskText({ id: 't', status: { state: 'TASK_STATE_COMPLETED', message } })).toBe('Who?');
});

it("the printed reply is the agent's last message if its dialect has messages beside the status", () => {
  const userMessage = { messageId: 'm1', role: 'ROLE_USER' as const, parts: [{ text: 'hi' }] };
  const said = { messageId: 'm2', role: 'ROLE_AGENT' as const, parts: [{ text: 'Hello.' }] };
  const status = { state: 'TASK_STATE_COMPLETED' as const };
  expect(taskText({ id: 't', status, history: [userMessage, said] })).toBe('Hello.');
  expect(taskText({ id: 't', status, history: [said, userMessage] })).toBe('');
});

it('words are quoted for the shell where they need to be', () => {
  expect(shellWord('http://localhost:8080/demo')).toBe('http://localhost:8080/demo');
  expect(shellWord("it's $HOME")).toBe("'it'\\''s $HOME'");
});

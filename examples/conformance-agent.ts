import { setTimeout as delay } from 'node:timers/promises';
import { type AgentRequest, artifact, defineAgent, type Part, type StreamResponse, say, status } from '../src/index.ts';

/**
 * The agent that the official conformance kit for A2A v1.0 (a2aproject/a2a-tck) talks to. The kit says what it wants by
 * the beginning of the message's id.
 */

type Behaviour = (request: AgentRequest) => AsyncIterable<StreamResponse>;

/** Twice the time that the kit waits for an event of a stream, in milliseconds. */
const outliveSubscription = 4_000;

const file = { filename: 'output.txt', mediaType: 'text/plain' };
const rawFile: Part = { raw: Buffer.from('Generated file content').toString('base64'), ...file };

const working = (): StreamResponse => status('TASK_STATE_WORKING');
const completed = (): StreamResponse => status('TASK_STATE_COMPLETED');

/** Answers with these events. */
const answer = (...events: (() => StreamResponse)[]): Behaviour =>
  async function* () {
    for (const event of events) yield event();
  };

const giving = (...parts: Part[]): Behaviour => answer(() => artifact({ content: parts }), completed);

const streaming = (...parts: Part[]): Behaviour => answer(working, () => artifact({ content: parts }), completed);

async function* chunks({ taskId }: AgentRequest): AsyncGenerator<StreamResponse> {
  const artifactId = `${taskId}-chunks`;
  yield working();
  yield artifact({ artifactId, content: 'chunk-1 ', append: false, lastChunk: false });
  yield artifact({ artifactId, content: 'chunk-2', append: true, lastChunk: true });
  yield completed();
}

async function* longRunning({ signal }: AgentRequest): AsyncGenerator<StreamResponse> {
  yield working();
  await delay(outliveSubscription, undefined, { signal });
  yield completed();
}

const completing: Behaviour = answer(() => status('TASK_STATE_COMPLETED', 'Hello from TCK'));

/** By prefix of the message's id; the first that fits is taken, so longer ones come before those that begin them. */
const behaviours: readonly (readonly [prefix: string, behaviour: Behaviour])[] = [
  ['tck-complete-task', completing],
  ['tck-artifact-text', giving({ text: 'Generated text content' })],
  ['tck-artifact-file-url', giving({ url: 'https://example.com/output.txt', ...file })],
  ['tck-artifact-file', giving(rawFile)],
  ['tck-artifact-data', giving({ data: { key: 'value', count: 42 } })],
  ['tck-message-response', answer(() => say('Direct message response'))],
  ['tck-input-required', answer(() => status('TASK_STATE_INPUT_REQUIRED'))],
  ['tck-reject-task', answer(() => status('TASK_STATE_REJECTED', 'rejected'))],
  ['tck-stream-001', streaming({ text: 'Stream hello from TCK' })],
  ['tck-stream-002', answer(completed)],
  ['tck-stream-003', streaming({ text: 'Stream task lifecycle' })],
  ['tck-stream-ordering-001', streaming({ text: 'Ordered output' })],
  ['tck-stream-artifact-text', streaming({ text: 'Streamed text content' })],
  ['tck-stream-artifact-file', streaming(rawFile)],
  ['tck-stream-artifact-chunked', chunks],
  ['test-resubscribe-message-id', longRunning],
];

const skill = {
  id: 'tck',
  name: 'Conformance kit',
  description: 'Does what the conformance kit asks for by message id.',
  tags: ['tck'],
};

export default defineAgent({
  name: 'Conformance agent',
  description: 'The agent that the official conformance kit for A2A v1.0 expects.',
  skills: [skill],
  extendedCard: { description: 'The extended card of the agent that the official conformance kit expects.' },
  execute: (request) => {
    const { messageId } = request.message;
    const [, behaviour] = behaviours.find(([prefix]) => messageId.startsWith(prefix)) ?? ['', completing];
    return behaviour(request);
  },
});

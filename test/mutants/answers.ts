import type { StreamResponse, Task } from '../../src/core/model/a2a.ts';
import { fold } from '../../src/core/model/fold.ts';
import { isResting } from '../../src/core/model/lifecycle.ts';
import type { CodecContext } from '../../src/dialects/kernel/codec.ts';
import type { Dialect } from '../../src/dialects/kernel/dialect.ts';
import type { Method } from '../../src/dialects/kernel/wire.ts';
import { createDialects } from '../../src/dialects/registry.ts';
import { SseDecoder } from '../../src/wire/sse.ts';
import { type Golden, goldenDialects, goldensOf } from '../support/golden.ts';

/** Golden frames as the answers of an agent: one document, or the frames of a stream, and the task that the agent keeps. */
export interface Answers {
  readonly dialect: Dialect;
  readonly binding: 'jsonrpc' | 'rest' | 'connect';
  readonly name: string;
  readonly streams: boolean;
  /** The results of the agent, without envelopes: of a unary answer one. */
  readonly frames: readonly { readonly event?: string; readonly data: unknown }[];
  /** The agent's answer to tasks/get, in the dialect. */
  readonly task: unknown;
  /** The answer without the contents of the task. */
  readonly bareTask: unknown;
}

const dialects = createDialects();
const cx = (): CodecContext => ({ losses: new Set() });

/** The method of a binding by its operation. */
function methodOf(dialect: Dialect, binding: Answers['binding'], operation: string): Method | undefined {
  if (binding === 'jsonrpc') return dialect.jsonrpc?.calls.get(operation as never)?.method;
  if (binding === 'connect')
    return [...(dialect.grpc?.methods.values() ?? [])].find((one) => one.operation === operation);
  return dialect.rest?.routes.find((route) => route.method.operation === operation)?.method;
}

function bindingsOf(dialect: Dialect, { face }: Golden): Answers['binding'][] {
  if (dialect.name.startsWith('a2a-1.')) return ['jsonrpc', 'rest', 'connect'];
  return face === undefined ? ['jsonrpc'] : ['rest', 'connect'];
}

/** Answers of every dialect and binding, from the golden frames that answer a message. */
export function allAnswers(): Answers[] {
  return goldenDialects.flatMap((name) => {
    const dialect = dialects.byName.get(name) as Dialect;
    return goldensOf(name).flatMap((golden) =>
      golden.kind !== 'result' && golden.kind !== 'stream'
        ? []
        : bindingsOf(dialect, golden).flatMap((binding) => answersOf(dialect, binding, golden) ?? []),
    );
  });
}

function framesOf(dialect: Dialect, golden: Golden): Answers['frames'] {
  if (golden.kind === 'result') return [{ data: JSON.parse(golden.in) }];
  if (golden.face === 'grpc') return (JSON.parse(golden.in) as unknown[]).map((data) => ({ data }));
  const read = new SseDecoder().push(Buffer.from(`${golden.in}\n\n`));
  return read
    .filter(({ data }) => data !== '')
    .map(({ event, data }) => {
      const json = JSON.parse(data);
      const isWrapped = golden.face === undefined && dialect.jsonrpc?.stream.enveloped === true && 'result' in json;
      return { ...(event !== '' && { event }), data: isWrapped ? json.result : json };
    });
}

function answersOf(dialect: Dialect, binding: Answers['binding'], golden: Golden): Answers[] | undefined {
  const streams = golden.kind === 'stream';
  const get = methodOf(dialect, binding, 'GetTask');
  const method = methodOf(dialect, binding, streams ? 'SendStreamingMessage' : 'SendMessage');
  if (!get?.result || !method) return undefined;
  let events: readonly StreamResponse[];
  const frames = framesOf(dialect, golden);
  try {
    if (streams) {
      const decoder = method.stream?.decoder(cx());
      if (!decoder) return undefined;
      events = [...frames.flatMap((frame) => decoder.decode(frame)), ...(decoder.end?.() ?? [])];
    } else {
      const { value } = (method.result ?? get.result).decode(frames[0]?.data, cx());
      events = ['task', 'message'].some((member) => member in (value as object))
        ? [value as StreamResponse]
        : [{ task: value as Task }];
    }
  } catch {
    return undefined;
  }
  if (events.length === 0 || (!streams && !events[0]?.task?.status && !events[0]?.message)) return undefined;
  const task = taskOf(events);
  const encode = (value: Task): unknown => get.result?.encode({ value } as never, cx());
  const { id, contextId, status } = task;
  const bare: Task = { id, ...(contextId !== undefined && { contextId }), status: { state: status.state } };
  const name = `${golden.source}: ${golden.name}`;
  return [{ dialect, binding, name, streams, frames, task: encode(task), bareTask: encode(bare) }];
}

/** The task that the events tell of, which has come to rest. */
function taskOf(events: readonly StreamResponse[]): Task {
  const [first] = events;
  const { taskId: id = first?.task?.id ?? 'none', contextId = 'c' } =
    first?.statusUpdate ?? first?.artifactUpdate ?? {};
  let task: Task = { id, contextId, status: { state: 'TASK_STATE_WORKING' } };
  for (const event of events) if (!event.message) task = fold(task, structuredClone(event));
  if (!isResting(task.status.state)) task.status = { ...task.status, state: 'TASK_STATE_COMPLETED' };
  return task;
}

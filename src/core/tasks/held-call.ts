import type { Message, SendMessageRequest, Task } from '../model/a2a.ts';
import { type Ask, type HeldCall, heldCallOf, withoutAsks } from '../model/ask.ts';
import type { CallContext } from '../model/call.ts';
import { A2AError } from '../model/errors.ts';
import { answererOf } from '../model/question.ts';
import type { TaskStore } from '../ports/task-store.ts';
import { taskAt } from './replay.ts';
import { requestPartsOf } from './turn-request.ts';

/**
 * The call in the form in which it waits until people agree. Undefined if it does not wait.
 *
 * @param asks the asks of hooks, in addition to those in the call's context
 */
export function heldFor(
  request: SendMessageRequest,
  { asks: known = [], extensions, hops, notes }: CallContext,
  asks: readonly Ask[] = [],
  newContext = false,
): HeldCall | undefined {
  const all = [...known, ...asks];
  if (all.length === 0) return undefined;
  return {
    asks: all,
    parts: requestPartsOf(request),
    extensions,
    hops,
    ...(notes.skill !== undefined && { skill: notes.skill }),
    ...(newContext && { newContext }),
  };
}

/** A call that waited until people agreed, and that its agent gets now. */
export interface ReleasedCall {
  /** Position of its message. */
  readonly seq: number;
  readonly request: SendMessageRequest;
  /** The task before its message. Undefined: the message opened the task. */
  readonly task: Task | undefined;
  readonly held: HeldCall;
}

/**
 * Whether an agent gets a message in the form in which it is in the log: it does not wait for people, and does not release
 * another one.
 */
export const isForAgent = ({ message }: { readonly message: Message }): boolean =>
  heldCallOf(message) === undefined && answererOf(message)?.releases === undefined;

/** Reads the call that a message of the gateway releases. Undefined if the message is itself for the agent. */
export async function readReleased(
  store: Pick<TaskStore, 'events'>,
  { key, tenant }: { readonly key: string; readonly tenant: string },
  message: Message,
): Promise<ReleasedCall | undefined> {
  const { releases } = answererOf(message) ?? {};
  if (releases === undefined) return undefined;
  const [logged] = await store.events(key, releases - 1, 1);
  const { event } = logged ?? {};
  const waiting = event?.message ?? event?.task?.history?.find((one) => heldCallOf(one));
  const held = waiting && heldCallOf(waiting);
  if (!held) throw new A2AError('unsupportedOperation', 'No call of the task waits for an agreement');
  const before = releases > 1 ? await taskAt(store, key, releases - 1) : undefined;
  const request = { ...held.parts, message: withoutAsks(waiting), ...(tenant && { tenant }) };
  return { seq: releases, request, task: before?.task, held };
}

/** Whether a message of the log waits for people, or releases another one. */
export async function readHold(
  store: Pick<TaskStore, 'events'>,
  record: { readonly key: string; readonly tenant: string },
  message: Message,
): Promise<{ readonly held: HeldCall | undefined; readonly released: ReleasedCall | undefined }> {
  return { held: heldCallOf(message), released: await readReleased(store, record, message) };
}

/** The task without the messages that only release others. */
export function withoutReleases(task: Task): Task {
  const { history } = task;
  if (!history?.some((message) => answererOf(message)?.releases !== undefined)) return task;
  return { ...task, history: history.filter((message) => answererOf(message)?.releases === undefined) };
}

import type { Message, SendMessageRequest, Task, TaskPushNotificationConfig } from '../model/a2a.ts';
import type { LoggedEvent } from '../model/call.ts';
import type { CallKey } from '../model/ids.ts';
import type { LiveTask } from '../tasks/live-task.ts';
import type { PastTask } from '../tasks/replay.ts';
import type { HandlerInput, SendOperation } from './handler.ts';

export type SendInput = HandlerInput<SendOperation> & {
  readonly call?: CallKey | undefined;
  /** The webhook that comes with the message. */
  readonly webhook?: TaskPushNotificationConfig | undefined;
};

/** What a message began: a turn that goes on, or one that is over. */
export type StartedTurn =
  | { readonly message: Message }
  /** The answer that an earlier version stored under the call's key. */
  | { readonly task: Task }
  /** The task was over with its first event, which is durable. */
  | { readonly ended: LoggedEvent }
  | {
      /** Retained: to be released by the caller. */
      readonly live: LiveTask;
      /** Position before the turn's first event. */
      readonly after: number;
      /** For streams: the task with the turn's message, where the message continued a task. Its events follow. */
      readonly leading?: PastTask;
      /** Whether an earlier call with the same key began the turn. */
      readonly isRepeated?: true;
    };

/** Milliseconds that a caller who does not wait for the task waits for a possible direct Message. */
const immediateTimeout = 250;
/** Milliseconds that a caller who gets the id of a task alone waits for a possible refusal. */
const refusalTimeout = 1_000;

/** Milliseconds after which an agent that has not answered gets a task. */
export function answerTimeout({ request, context, deps }: SendInput): number {
  const { returnImmediately } = request.configuration ?? {};
  if (context.semantics.answersWithId) return Math.min(refusalTimeout, deps.limits.answer);
  if (context.semantics.tasksOnly || (context.semantics.namesTask && request.message.taskId)) {
    // The answer is a task in any case. A short wait lets an agent that answers at once open the task itself.
    return returnImmediately ? 0 : Math.min(immediateTimeout, deps.limits.answer);
  }
  return returnImmediately ? immediateTimeout : deps.limits.answer;
}

export const isStreaming = ({ operation }: SendInput): boolean => operation === 'SendStreamingMessage';

/** What the turns of a call have in common. */
export const turnDeps = ({ agent, context, owner, deps, call }: SendInput) => {
  const { taskMetadata } = context.semantics;
  return { agent, owner, services: deps, hooks: deps.hooks?.active, traces: deps.traces, call, taskMetadata };
};

/** The request as agents get it: the generations of their own tasks are others. */
export function withoutCondition(request: SendMessageRequest): SendMessageRequest {
  if (request.configuration?.ifGenerationMatch === undefined) return request;
  const { ifGenerationMatch: _, ...configuration } = request.configuration;
  return { ...request, configuration };
}

import type { Message, Task, TaskPushNotificationConfig } from '../model/a2a.ts';
import type { LoggedEvent } from '../model/call.ts';
import type { CallKey } from '../model/ids.ts';
import type { LiveTask } from '../tasks/live-tasks.ts';
import type { PastTask } from '../tasks/replay.ts';
import type { HandlerInput, SendOperation } from './handler.ts';

export type SendInput = HandlerInput<SendOperation> & {
  readonly call?: CallKey | undefined;
  /** The webhook that comes with the message. */
  readonly webhook?: TaskPushNotificationConfig | undefined;
};

/** The turn that a message began: a running one, or one that is already over. */
export type StartedTurn =
  | { readonly message: Message }
  /** The answer that an earlier version stored with the call's key. */
  | { readonly task: Task }
  /** The task was over with its first event, which is durable. */
  | { readonly ended: LoggedEvent }
  | {
      /** The task, retained. The caller must release it. */
      readonly live: LiveTask;
      /** Position before the turn's first event. */
      readonly after: number;
      /** For streams: the task with the turn's message, if the message continued a task. Its events follow. */
      readonly leading?: PastTask;
      /** Whether an earlier call with the same key began the turn. */
      readonly isRepeated?: true;
    };

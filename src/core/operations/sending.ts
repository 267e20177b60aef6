import type { Message, Task, TaskPushNotificationConfig } from '../model/a2a.ts';
import type { CallKey } from '../model/ids.ts';
import type { LiveTask } from '../tasks/live-task.ts';
import type { HandlerInput } from './handler.ts';

/** A call that sends a message. */
export type SendInput = HandlerInput<'SendMessage' | 'SendStreamingMessage'> & {
  /** The idempotency key that the call brings. */
  readonly call?: CallKey | undefined;
};

/** What sending a message came to. */
export type StartedTurn =
  | { readonly message: Message }
  | {
      /** Kept, for whoever goes on with it to let go. */
      readonly live: LiveTask;
      /** Position before the turn's first event. */
      readonly after: number;
      /** The task with the turn's message, where it was there before. */
      readonly leadingTask?: Task;
      /** Whether another call with the same key began the turn. */
      readonly known?: true;
    };

/** Refuses a task that is to be continued, before its message is taken. */
export type TaskCheck = (live: LiveTask) => void;

export const anyTask: TaskCheck = () => {};

/** What is to be known of a turn before it begins. */
export interface TurnOptions {
  /** Judges the task that a message continues. */
  readonly check?: TaskCheck;
  /** Whether the caller is told of a task that is continued as it is with the message. */
  readonly needsLeadingTask?: boolean;
  /** Whether the caller hears nothing of the task before it rests. */
  readonly awaited?: boolean;
  /** The webhook that comes with the message. */
  readonly push?: TaskPushNotificationConfig | undefined;
}

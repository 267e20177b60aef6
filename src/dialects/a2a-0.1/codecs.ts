import * as guards from '../../gen/a2a-0.1/guards.ts';
import { validators } from '../../gen/a2a-0.1/validators.ts';
import { compile } from '../../gen/dialects/a2a-0.1.ts';
import { type Reader, readerOf } from '../kernel/reader.ts';
import { bind, type Codecs } from '../kernel/record.ts';
import { tables } from './mapping.ts';

/** What converts the shapes of A2A 0.1. */
export const codecs: Codecs<typeof tables> = bind(tables, compile);

/** The definitions that are read as a whole. */
const shapes = {
  Message: guards.isMessage,
  Task: guards.isTask,
  TaskStatusUpdateEvent: guards.isTaskStatusUpdateEvent,
  TaskArtifactUpdateEvent: guards.isTaskArtifactUpdateEvent,
  TaskSendParams: guards.isTaskSendParams,
  TaskQueryParams: guards.isTaskQueryParams,
  TaskIdParams: guards.isTaskIdParams,
  TaskPushNotificationConfig: guards.isTaskPushNotificationConfig,
  AgentCard: guards.isAgentCard,
} as const;

/** Reads shapes of A2A 0.1. */
export const read: Reader<typeof shapes> = readerOf(shapes, validators);

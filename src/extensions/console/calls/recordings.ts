import { admin, type CallSummary, type Recording } from '../gateway/admin.ts';
import { status } from '../shell/facts.ts';
import { now } from '../ui/index.ts';

/** Milliseconds between two reads while calls are recorded. */
export const recordingInterval = 3_000;

/** Reads the recordings without their calls: none has this id. Rejects with the reason if calls cannot be recorded. */
export const readRecordings = (signal: AbortSignal) =>
  admin.call('ListRecords', { recording: '-', pageSize: 1 }, { signal });

/** Returns the largest number of calls: a fixed number for each replica. */
export const roomOf = ({ calls = 0 }: Recording): number =>
  calls * (1 + (status.value?.others?.filter(({ alive }) => alive).length ?? 0));

export const hasEnded = ({ ended = false, until }: Recording): boolean => ended || Date.parse(until) <= now.value;

/** Whether a recording takes no more calls. */
export const isOver = (one: Recording): boolean => hasEnded(one) || (one.recorded ?? 0) >= roomOf(one);

/** Whether a call belongs to a recording, if the recording had room. */
export const isOf = ({ agent, principal, taskKey, started, until }: Recording, call: CallSummary): boolean =>
  (!agent || agent === call.agent) &&
  (!principal || principal === call.principal) &&
  (!taskKey || taskKey === call.taskKey) &&
  call.time >= started &&
  call.time <= until;

import { useEffect, useMemo } from 'preact/hooks';
import { admin, type CallEvent, type CallSummary, type Recording } from '../gateway/admin.ts';
import { status } from '../shell/facts.ts';
import { Following } from '../tasks/following.ts';
import { now } from '../ui/index.ts';

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

/** Follows the calls that may belong to recordings, and calls `onCall` when some have ended. */
export function useRecorded(recordings: readonly Recording[], onCall: () => void): Following<CallEvent, string> {
  const ids = recordings.map(({ id }) => id).join();
  const stream = useMemo(() => {
    const [one, ...others] = recordings;
    const { agent = '', principal = '', taskKey: taskId = '' } = others.length === 0 ? (one ?? {}) : {};
    return new Following<CallEvent, string>({
      open: (after = '', options) => admin.stream('WatchCalls', { agent, principal, taskId, after }, options),
      next: ({ call }, last = '') => (call && call.time > last ? call.time : last),
      endless: true,
      onEvents(events) {
        if (events.some(({ call }) => call && recordings.some((one) => isOf(one, call)))) onCall();
      },
    });
  }, [ids]);
  useEffect(() => {
    const closed = new AbortController();
    if (ids !== '') stream.start(closed.signal, recordings.map(({ started }) => started).sort()[0]);
    return () => closed.abort();
  }, [stream]);
  return stream;
}

import { canonicalEvent, canonicalTask } from './canonical.ts';
import type { Violation } from './check-logs.ts';
import type { Ledger, Notified, Watched } from './ledger.ts';
import { type Logs, type StoredLog, taskAt, told } from './logs.ts';

/** Every subscriber saw every event, once and in order, to the end of its task. */
export function checkWatched({ watched }: Ledger, logs: Logs): Violation[] {
  return watched.flatMap((one) => {
    const task = logs.byId.get(one.taskId);
    if (!task) return [{ what: `a subscriber followed the task ${one.taskId}, which is not there` }];
    const what = misread(one, task);
    const who = `a subscriber by ${one.face.via}${one.leading ? ' that began with the task as it was' : ''}`;
    return what === undefined ? [] : [{ what: `${who}, ${one.resumed} times resumed, ${what}`, task }];
  });
}

function misread({ seen, leading, ended, failure }: Watched, task: StoredLog): string | undefined {
  if (failure !== undefined) return `failed: ${failure}`;
  const events = [...seen];
  let after = 0;
  if (leading) {
    const first = events.shift();
    after = first?.seq ?? 0;
    if (canonicalTask(first?.event.task) !== canonicalTask(taskAt(task.log, after))) {
      return `got another task at first than the log comes to at ${after}`;
    }
  }
  const expected = task.log.filter((entry) => entry.seq > after && told(entry));
  for (const [i, { seq, event }] of events.entries()) {
    const entry = expected[i];
    if (entry?.seq !== seq) return `saw ${seq} where ${entry?.seq ?? 'nothing'} comes: ${seqs(events)}`;
    if (canonicalEvent(entry.event) !== canonicalEvent(event)) return `saw something else at ${seq}`;
  }
  if (!ended || events.length < expected.length) {
    return `did not see the end: ${events.length} of ${expected.length} events`;
  }
  return undefined;
}

const seqs = (events: readonly { readonly seq: number }[]): string => events.map(({ seq }) => seq).join(' ');

/** Every webhook got every event at least once, and first deliveries came in order. */
export function checkNotified({ notified, said }: Ledger, logs: Logs): Violation[] {
  const byMarker = new Map(said.map((one) => [one.marker, one]));
  const found: Violation[] = [];
  for (const [marker, got] of notified) {
    const taskId = byMarker.get(marker)?.taskId;
    const task = logs.byId.get(taskId ?? '');
    if (!task) continue;
    const what = missed(got, task);
    if (what !== undefined) found.push({ what: `the webhook of ${marker} ${what}`, task });
  }
  return found;
}

function missed(got: readonly Notified[], { log }: StoredLog): string | undefined {
  const expected = log.filter(told).map(({ event }) => canonicalEvent(event));
  const bodies = got.filter(({ accepted }) => accepted).map(({ body }) => canonicalEvent(body));
  const first: string[] = [];
  for (const body of bodies) if (!first.includes(body)) first.push(body);
  const distinct = expected.filter((event, i) => expected.indexOf(event) === i);
  const wrong = first.findIndex((body, i) => body !== distinct[i]);
  if (wrong >= 0) return `was told something out of turn, as number ${wrong + 1}: ${first[wrong]}`;
  return first.length < distinct.length ? `was told ${first.length} of ${distinct.length} events` : undefined;
}

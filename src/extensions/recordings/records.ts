import { randomUUID } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import type { AskReplicas } from '../../core/cluster/ask-replicas.ts';
import { timestamp } from '../../core/model/agent-events.ts';
import { A2AError } from '../../core/model/errors.ts';
import type { Store } from '../../core/ports/store.ts';
import type { ListRecordsResponse, RecordedCall, RecordRequest } from '../../gen/admin-v1/types.ts';
import type { AdminHandlers } from '../handlers.ts';
import { type CallPosition, fault, inOrder, isBefore, pageSizeOf, positionOf, tokenOf } from '../requests.ts';
import type { CallRecord, Recording, RecordingPlan } from './call-record.ts';
import type { LastFailures } from './last-failures.ts';
import { type RpcAt, shownRecord, sizeOf } from './record-text.ts';
import type { CallRecorder } from './recorder.ts';

const page = { fallback: 10, max: 100 } as const;
const calls = { fallback: 10, max: 100 } as const;
const seconds = { fallback: 600, max: 3_600 } as const;
/** Bytes of JSON after which a page ends. */
const maxPage = 4 << 20;

type RecordQuestion = { readonly begin: RecordingPlan } | { readonly stop: string };

interface RecordsQuestion {
  readonly recording: string;
  /** '' and false: any. Absent: the question is of an earlier version. */
  readonly agent?: string;
  readonly requestId?: string;
  readonly lastFailed?: boolean;
  readonly behind?: CallPosition | undefined;
  readonly size: number;
}

interface FoundRecord extends CallPosition {
  readonly record: RecordedCall;
}

interface RecordsAnswer {
  readonly found: readonly FoundRecord[];
  /** Whether there are more records after these. */
  readonly hasMore: boolean;
  readonly recordings: readonly Recording[];
  /** Time since which the replica keeps the last failed calls: milliseconds since the epoch. Absent: it keeps none. */
  readonly failuresSince?: number | undefined;
}

export interface RecordDeps {
  readonly recorder: CallRecorder;
  /** Undefined: no failed calls are kept. */
  readonly failures: LastFailures | undefined;
  readonly rpcAt: RpcAt;
  /** Whether no texts of messages and agents may be shown. Called for every call. */
  readonly hidesWords: () => boolean;
}

/** Returns the answers of a replica to questions for its own recordings. */
export function recordAnswers({ recorder, failures, rpcAt, hidesWords }: RecordDeps) {
  return {
    Record(question: RecordQuestion): Recording | null {
      if ('stop' in question) return recorder.stop(question.stop) ?? null;
      if (hidesWords()) throw hidden();
      return recorder.begin(question.begin);
    },

    async ListRecords(question: RecordsQuestion): Promise<RecordsAnswer> {
      const { behind, size } = question;
      if (hidesWords()) recorder.close();
      const found: FoundRecord[] = [];
      let bytes = 0;
      let hasMore = false;
      for (const record of recordsOf({ recorder, failures }, question).sort(inOrder)) {
        const { one, ...position } = record;
        if (behind && !isBefore(behind, position)) continue;
        if (found.length === size || bytes > maxPage) {
          hasMore = true;
          break;
        }
        // Each large record is read in its own turn of the event loop.
        await setImmediate();
        const shown = shownRecord(one, position.id, rpcAt);
        bytes += sizeOf(shown);
        found.push({ ...position, record: shown });
      }
      return { found, hasMore, recordings: [...recorder.recordings], failuresSince: failures?.since };
    },
  };
}

/** Returns the wanted records, in no order. A call that is both recorded and failed comes once. */
function recordsOf({ recorder, failures }: Pick<RecordDeps, 'recorder' | 'failures'>, question: RecordsQuestion) {
  const { recording, agent = '', requestId = '', lastFailed = false } = question;
  const isWanted = ({ facts }: CallRecord): boolean =>
    (agent === '' || facts.agent === agent) && (requestId === '' || facts.requestId === requestId);
  const recorded = [...recorder.records()].filter(
    (one) =>
      !lastFailed && isWanted(one) && (recording === '' || one.recordings.some(({ plan }) => plan.id === recording)),
  );
  const ids = new Set(recorded.map(({ facts }) => facts.requestId));
  const failed = recording === '' ? [...(failures?.records() ?? [])] : [];
  return [
    ...recorded.map((one) => ({ one, at: one.at, id: `${recorder.instance}-${one.seq}` })),
    ...failed
      .filter((one) => isWanted(one) && !ids.has(one.facts.requestId))
      .map((one) => ({ one, at: one.at, id: failures?.idOf(one) ?? '' })),
  ];
}

export interface RecordHandlersDeps {
  readonly ask: AskReplicas;
  readonly store: Pick<Store, 'overviewOf'>;
  readonly agents: { get(name: string): unknown };
  readonly hidesWords: () => boolean;
}

/** Returns the operations that record calls at all replicas. */
export function recordHandlers(deps: RecordHandlersDeps): AdminHandlers<'Record' | 'ListRecords'> {
  const { ask, hidesWords } = deps;
  return {
    async Record(request, { principal }, facts) {
      const { stop } = request;
      if (!stop && hidesWords()) throw hidden();
      const plan = stop ? undefined : await planOf(request, principal.id, deps);
      if (plan?.agent) facts.agent = plan.agent;
      if (plan?.principal) facts.owner = plan.principal;
      const { answers, missing } = await ask<Recording | null>('Record', plan ? { begin: plan } : { stop });
      const found = answers.flatMap(({ value }) => value ?? []);
      const recording = joined(found)[0];
      if (!recording) throw fault('stop', 'must be the id of a recording');
      return { value: { recording, missingReplicas: [...missing] } };
    },

    async ListRecords({ recording = '', agent = '', requestId = '', lastFailed = false, pageSize, pageToken = '' }) {
      if (hidesWords()) throw hidden();
      const size = pageSizeOf(pageSize, page);
      const filter = { recording, agent, requestId, lastFailed };
      const question: RecordsQuestion = { ...filter, behind: positionOf(pageToken), size };
      const { answers, missing } = await ask<RecordsAnswer>('ListRecords', question);
      const all = answers
        .flatMap(({ replica, value }) => value.found.map((one) => ({ ...one, record: { ...one.record, replica } })))
        .sort(inOrder);
      // If a replica has more calls than it returned, records behind its last one may have to come after the missing ones.
      const ends = answers.flatMap(({ value }) => (value.hasMore ? (value.found.at(-1) ?? []) : []));
      const known = all.filter((one) => !ends.some((end) => isBefore(end, one)));
      let bytes = 0;
      let shown = 0;
      while (shown < known.length && shown < size && (shown === 0 || bytes <= maxPage)) {
        bytes += sizeOf(known[shown]?.record);
        shown += 1;
      }
      const last = shown < all.length || ends.length > 0 ? known[shown - 1] : undefined;
      const recordings = joined(answers.flatMap(({ value }) => value.recordings));
      const records = withForwarded(known.slice(0, shown).map(({ record }) => record));
      const value: ListRecordsResponse = { records, recordings, missingReplicas: [...missing] };
      const since = answers.flatMap(({ value: { failuresSince } }) => failuresSince ?? []);
      const lastFailedSince = since.length > 0 ? { lastFailedSince: timestamp(Math.max(...since)) } : {};
      return { value: { ...value, ...lastFailedSince, nextPageToken: last ? tokenOf(last) : '' } };
    },
  };
}

/** Adds the attempts of another replica to a call that it carried out. The other replica's own record is left out then. */
function withForwarded(records: readonly RecordedCall[]): RecordedCall[] {
  const isPart = ({ client, binding }: RecordedCall): boolean => !client && binding !== 'local';
  const callOf = (part: RecordedCall): RecordedCall | undefined => {
    const of = records.filter(
      (one) => one.client && one.requestId === part.requestId && one.operation === part.operation,
    );
    return of.length === 1 ? of[0] : undefined;
  };
  const parts = records.filter((one) => isPart(one) && callOf(one));
  return records.flatMap((one) => {
    if (parts.includes(one)) return [];
    const own = parts.filter((part) => callOf(part) === one);
    return [{ ...one, attempts: [one, ...own].flatMap(({ attempts = [] }) => attempts) }];
  });
}

async function planOf(
  request: RecordRequest,
  startedBy: string,
  { store, agents }: RecordHandlersDeps,
): Promise<RecordingPlan> {
  const { taskKey = '' } = request;
  let { agent = '', principal = '' } = request;
  let taskId = '';
  if (!agent && !principal && !taskKey) throw fault('agent', 'is required, or principal, or taskKey');
  if (agent && !agents.get(agent)) throw new A2AError('agentNotFound', `No such agent: ${agent.slice(0, 128)}`);
  if (taskKey) {
    const task = await store.overviewOf(taskKey);
    if (!task) throw A2AError.taskNotFound(taskKey);
    if (agent && agent !== task.agent) throw fault('agent', 'must be the agent of the task, or absent');
    if (principal && principal !== task.principal) throw fault('principal', 'must be the owner of the task, or absent');
    ({ agent, principal } = task);
    taskId = task.id;
  }
  const lasts = 1_000 * boundOf('seconds', request.seconds, seconds);
  const plan = { agent, principal, taskKey, taskId, calls: boundOf('calls', request.calls, calls) };
  return { ...plan, id: randomUUID(), started: Date.now(), lasts, startedBy };
}

/** Returns a number of the request. 0 counts as absent. Throws `invalidParams`. */
function boundOf(
  field: string,
  given: number | undefined,
  { fallback, max }: { fallback: number; max: number },
): number {
  const value = given || fallback;
  if (value <= max) return value;
  throw fault(field, `must be from 1 to ${max}`);
}

/** Returns each recording once, with the facts of all replicas. The latest comes first. */
function joined(all: readonly Recording[]) {
  const ids = new Set(all.map(({ plan }) => plan.id));
  return [...ids]
    .map((id) => {
      const ofAll = all.filter(({ plan }) => plan.id === id);
      // This replica is the first one, if it has it.
      const [{ plan, until }] = ofAll as [Recording];
      const { agent, principal, taskKey, calls, startedBy } = plan;
      const sum = (name: 'recorded' | 'dropped'): number => ofAll.reduce((total, one) => total + one[name], 0);
      return {
        id,
        agent,
        principal,
        taskKey,
        calls,
        startedBy,
        recorded: sum('recorded'),
        dropped: sum('dropped'),
        started: timestamp(plan.started),
        until: timestamp(until),
        ended: ofAll.every(({ isOver }) => isOver),
      };
    })
    .sort((one, other) => (one.started < other.started ? 1 : -1));
}

const hidden = (): A2AError =>
  new A2AError(
    'unsupportedOperation',
    'Calls are not recorded, since the configuration keeps what messages say from operators (console.content: false)',
  );

import type { AskReplicas } from '../../core/cluster/ask-replicas.ts';
import type { StreamLimit } from '../../core/limits/stream-limit.ts';
import { timestamp } from '../../core/model/agent-events.ts';
import type { LoggedEvent } from '../../core/model/call.ts';
import { A2AError } from '../../core/model/errors.ts';
import { defined, own } from '../../core/model/json.ts';
import { withoutControls } from '../../core/model/text.ts';
import type { CallLog, CallRecord } from '../../core/telemetry/call-log.ts';
import type { CallEvent, CallSummary, WatchCallsRequest } from '../../gen/admin-v1/types.ts';
import type { AdminHandlers } from '../handlers.ts';
import { type CallPosition, inOrder, isBefore, pageSizeOf, positionOf, timeOf, tokenOf } from '../requests.ts';
import { type Follow, followAt, Watch, WatchStream } from './watch-stream.ts';

/** Filter of calls. '' and false count as absent. */
type CallFilter = Omit<WatchCallsRequest, 'after'>;

/** A question for the calls of one replica. Times are milliseconds since the epoch. */
interface CallsQuestion {
  readonly filter: CallFilter;
  readonly after?: number | undefined;
  readonly before?: number | undefined;
  /** Only calls behind this one. */
  readonly behind?: CallPosition | undefined;
  readonly size: number;
}

interface FoundCall extends CallPosition {
  readonly call: CallSummary;
}

interface CallsAnswer {
  readonly found: readonly FoundCall[];
  /** The replica has all calls that arrived since then. */
  readonly since: number;
}

/** A question for the calls that have ended since the last one. */
interface NewCallsQuestion {
  /** Filters; calls that match any of them are wanted. */
  readonly filters: readonly CallFilter[];
  /** Number of the last record that was read, by the replica's instance. Absent: none, and only calls from now on count. */
  readonly read: Readonly<Record<string, number>>;
}

interface NewCallsAnswer {
  readonly instance: string;
  readonly read: number;
  readonly found: readonly FoundCall[];
}

const page = { fallback: 50, max: 500 } as const;
/** Calls of a replica in one answer to `WatchCalls`: of more, the latest. */
const maxNew = 500;
/** Milliseconds between two questions for new calls: at one replica, and at several, which ask through their database. */
const interval = { alone: 500, shared: 2_000 } as const;
/** Calls that may wait for a slow reader. */
const maxWaiting = 10_000;

const idOf = ({ instance }: CallLog, { seq }: CallRecord): string => `${instance}-${seq}`;

const equalFields = ['agent', 'principal', 'operation', 'dialect', 'binding', 'error'] as const;
const searched = ['reason', 'principal', 'address', 'agent', 'operation', 'taskId', 'requestId', 'traceId'] as const;

function matches(record: CallRecord, filter: CallFilter): boolean {
  for (const name of equalFields) if (filter[name] && filter[name] !== record[name]) return false;
  const { failed, taskId, requestId, text } = filter;
  if (failed && record.error === undefined) return false;
  if (taskId && taskId !== record.taskId && taskId !== record.taskKey) return false;
  if (requestId && requestId !== record.requestId && requestId !== record.traceId) return false;
  const wanted = text?.toLowerCase();
  return !wanted || searched.some((name) => record[name]?.toLowerCase().includes(wanted));
}

function found(log: CallLog, record: CallRecord): FoundCall {
  const { seq: _, at, ms, lossPaths, reason, ...rest } = record;
  const id = idOf(log, record);
  const call = {
    id,
    time: timestamp(at),
    lossPaths: [...lossPaths],
    ...(reason !== undefined && { reason: withoutControls(reason.replace(/\s/g, ' ')) }),
    ...defined({ ...rest, durationMs: ms === undefined ? undefined : Math.round(ms * 1_000) / 1_000 }),
  };
  return { at, id, call: call as CallSummary };
}

/**
 * Returns a replica's answers about its own calls. @param hidesWords whether messages of errors, which agents may have
 * written, are hidden
 */
export function callAnswers(log: CallLog, hidesWords: () => boolean) {
  function* records(failedOnly: boolean): Generator<CallRecord> {
    const hides = hidesWords();
    for (const record of log.records(failedOnly)) {
      // Requests that became no call were refused in the gateway's own words.
      yield hides && record.ms !== undefined ? { ...record, reason: undefined } : record;
    }
  }
  return {
    ListCalls({ filter, after = 0, before = Number.POSITIVE_INFINITY, behind, size }: CallsQuestion): CallsAnswer {
      const all: (CallPosition & { readonly record: CallRecord })[] = [];
      const failedOnly = Boolean(filter.failed || filter.error);
      for (const record of records(failedOnly)) {
        const { at } = record;
        if (at < after || at >= before || (behind && at > behind.at) || !matches(record, filter)) continue;
        const position = { at, id: idOf(log, record), record };
        if (!behind || isBefore(behind, position)) all.push(position);
      }
      const latest = all.sort(inOrder).slice(0, size);
      return { found: latest.map(({ record }) => found(log, record)), since: log.since(failedOnly) };
    },

    WatchCalls({ filters, read }: NewCallsQuestion): NewCallsAnswer {
      const { instance, latest } = log;
      const from = own(read, instance) ?? latest;
      const isNew = (record: CallRecord) => record.seq > from && filters.some((filter) => matches(record, filter));
      const fresh = from < latest ? [...records(false)].filter(isNew) : [];
      const found_ = fresh.sort((one, other) => one.seq - other.seq).slice(-maxNew);
      return { instance, read: latest, found: found_.map((record) => found(log, record)) };
    },
  };
}

/** Streams of calls as they end. One question to all replicas at an interval serves all of them. */
export class CallWatch extends Watch<CallReader> {
  readonly #ask: AskReplicas;
  protected readonly follow: Follow;
  #read: Record<string, number> = {};

  constructor(ask: AskReplicas, isShared: boolean) {
    super();
    this.#ask = ask;
    this.follow = followAt(isShared ? interval.shared : interval.alone);
  }

  watch(filter: CallFilter, onEnd: () => void): CallReader {
    return this.add(new CallReader(filter), onEnd);
  }

  protected reset(): void {
    this.#read = {};
  }

  protected async read(): Promise<void> {
    const readers = [...this.streams];
    const filters = readers.map(({ filter }) => filter);
    const { answers, missing } = await this.#ask<NewCallsAnswer>('WatchCalls', { filters, read: this.#read });
    const all = answers.flatMap(({ replica, value }) => {
      this.#read[value.instance] = value.read;
      return value.found.map((each) => ({ ...each, replica }));
    });
    all.sort(inOrder).reverse();
    for (const reader of readers) reader.offer(all, missing);
  }
}

class CallReader extends WatchStream<CallEvent> {
  readonly filter: CallFilter;
  #waiting: CallEvent[] = [];
  #missing = '';
  /** Time of the latest call that was passed on: readers resume there. */
  #at = Math.floor(Date.now());
  /** Ids of the calls that it began with. */
  #past: ReadonlySet<string> = new Set();

  constructor(filter: CallFilter) {
    super();
    this.filter = filter;
  }

  protected take(): LoggedEvent<CallEvent> | undefined {
    const event = this.#waiting.shift();
    if (!event) return undefined;
    if (event.call) this.#at = Date.parse(event.call.time);
    return { seq: this.#at, at: this.#at, generation: 0, event, json: JSON.stringify(event) };
  }

  protected clear(): void {
    this.#waiting = [];
  }

  /** Begins with earlier calls, the first one first. */
  begin(past: readonly CallSummary[], missing: readonly string[]): void {
    this.#past = new Set(past.map(({ id }) => id));
    const later = this.#waiting.filter(({ call }) => !call || !this.#past.has(call.id));
    this.#waiting = [...past.map((call) => ({ call, missingReplicas: [...missing] })), ...later];
  }

  /** Takes what the replicas said. An event without a call says that other replicas do not answer than before. */
  offer(all: readonly (FoundCall & { readonly replica: string })[], missing: readonly string[]): void {
    const missingReplicas = [...missing];
    const fresh = all.flatMap(({ call, replica }): CallEvent[] =>
      !this.#past.has(call.id) && matches(call as unknown as CallRecord, this.filter)
        ? [{ call: { ...call, replica }, missingReplicas }]
        : [],
    );
    const isNews = missing.join() !== this.#missing;
    this.#missing = missing.join();
    if (fresh.length === 0 && isNews) this.#waiting.push({ missingReplicas });
    this.#waiting.push(...fresh);
    if (this.#waiting.length > maxWaiting) this.fail(tooSlow());
    this.wake();
  }
}

const tooSlow = (): A2AError =>
  new A2AError('unavailable', 'Calls end faster than this stream is read; watch fewer of them');

export interface CallHandlersDeps {
  readonly ask: AskReplicas;
  readonly watch: CallWatch;
  readonly streams: StreamLimit;
}

/** The operations about the calls of all replicas. */
export function callHandlers({ ask, watch, streams }: CallHandlersDeps): AdminHandlers<'ListCalls' | 'WatchCalls'> {
  const list = async (question: CallsQuestion) => {
    const { answers, missing } = await ask<CallsAnswer>('ListCalls', { ...question, size: question.size + 1 });
    const all = answers.flatMap(({ replica, value }) =>
      value.found.map(({ call, ...position }) => ({ ...position, call: { ...call, replica } })),
    );
    const shown = all.sort(inOrder).slice(0, question.size);
    const last = all.length > shown.length ? shown.at(-1) : undefined;
    const since = Math.max(...answers.map(({ value }) => value.since));
    return { calls: shown.map(({ call }) => call), last, missing, since };
  };
  return {
    async ListCalls({ after, before, pageSize, pageToken = '', ...filter }) {
      const { calls, last, missing, since } = await list({
        filter,
        after: timeOf('after', after),
        before: timeOf('before', before),
        behind: positionOf(pageToken),
        size: pageSizeOf(pageSize, page),
      });
      const nextPageToken = last ? tokenOf(last) : '';
      return { value: { calls, nextPageToken, missingReplicas: [...missing], completeSince: timestamp(since) } };
    },

    async WatchCalls({ after: given, ...filter }, context) {
      const { replay } = context;
      const after = typeof replay === 'object' ? replay.after : timeOf('after', given);
      const slot = streams.take(context);
      const events = watch.watch(filter, () => slot.release());
      if (after === undefined) return { events };
      try {
        const { calls, missing } = await list({ filter, after, size: page.max });
        events.begin(calls.reverse(), missing);
        return { events };
      } catch (thrown) {
        await events.return();
        throw thrown;
      }
    },
  };
}

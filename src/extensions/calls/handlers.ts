import type { AskReplicas } from '../../core/cluster/ask-replicas.ts';
import type { StreamLimit } from '../../core/limits/stream-limit.ts';
import { timestamp } from '../../core/model/agent-events.ts';
import type { LoggedEvent } from '../../core/model/call.ts';
import { A2AError } from '../../core/model/errors.ts';
import { own } from '../../core/model/json.ts';
import { isOutage } from '../../core/model/stored-form.ts';
import type { Peers } from '../../core/ports/peers.ts';
import type { Store } from '../../core/ports/store.ts';
import type { CallLog, CallRecord } from '../../core/telemetry/call-log.ts';
import type { CallEvent, CallSummary, ListCallsResponse } from '../../gen/admin-v1/types.ts';
import type { AdminHandlers } from '../handlers.ts';
import { inOrder, pageSizeOf, positionOf, timeOf, tokenOf } from '../requests.ts';
import { type Follow, followAt, Watch, WatchStream } from '../watch-stream.ts';
import { gapShown } from './completeness.ts';
import { answerFrom, type CallList, type CallPage, type CallsAnswer, type CallsQuestion } from './list.ts';
import { type CallFilter, type FoundCall, foundCall, idOf, matches, readable } from './matches.ts';

/** Question to a replica for the calls that have ended since the last question. */
interface NewCallsQuestion {
  /** A call is wanted if any of the filters matches. */
  readonly filters: readonly CallFilter[];
  /** Number of the last record that was read, by the id of the replica's run. Absent: only later calls are wanted. */
  readonly read: Readonly<Record<string, number>>;
}

interface NewCallsAnswer {
  readonly instance: string;
  readonly read: number;
  readonly found: readonly FoundCall[];
}

const pageSizes = { fallback: 50, max: 500 } as const;
/** Most calls of a replica in one answer. If there are more, the answer has the latest. */
const maxNew = 500;
/**
 * Milliseconds between two questions for new calls: to a single replica, and to several, which ask each other through their
 * database.
 */
const interval = { alone: 500, shared: 2_000 } as const;
/** Most calls that wait for a slow reader. */
const maxWaiting = 10_000;

export interface CallAnswersDeps {
  readonly log: CallLog;
  /** Duration in milliseconds from which on a call is slow. */
  readonly slow: number;
  /** Whether messages of errors are hidden, since agents may have written them. */
  readonly hidesWords: () => boolean;
  /** Stores the calls and counts of this replica, if the store keeps any. */
  readonly flush: () => Promise<unknown>;
}

/** Returns the answers of a replica to questions for its own calls. */
export function callAnswers({ log, slow, hidesWords, flush }: CallAnswersDeps) {
  return {
    async ListCalls(question: CallsQuestion): Promise<CallsAnswer> {
      // In an outage of the store, the memory answers alone.
      const areStored = await flush().then(() => true, leaveOutage);
      return { ...answerFrom(log, question, slow, hidesWords()), areStored };
    },

    WatchCalls({ filters, read }: NewCallsQuestion): NewCallsAnswer {
      const { instance, latest } = log;
      const from = own(read, instance) ?? latest;
      const hides = hidesWords();
      const isNew = (record: CallRecord) =>
        record.seq > from && filters.some((filter) => matches(record, filter, slow));
      const all = from < latest ? [...log.records(false)].map((record) => readable(record, hides)) : [];
      const fresh = all.filter(isNew);
      const found = fresh.sort((one, other) => one.seq - other.seq).slice(-maxNew);
      return { instance, read: latest, found: found.map((record) => foundCall(idOf(log, record), record)) };
    },
  };
}

function leaveOutage(thrown: unknown): false {
  if (!isOutage(thrown)) throw thrown;
  return false;
}

/** Streams of calls as they end. One question to all replicas at an interval serves all of them. */
export class CallWatch extends Watch<CallReader> {
  readonly #ask: AskReplicas;
  protected readonly follow: Follow;
  readonly #now: () => number;
  #read: Record<string, number> = {};

  /** @param store has the clock that dates calls */
  constructor(ask: AskReplicas, { now, peers }: Pick<Store, 'now'> & { readonly peers: Pick<Peers, 'shared'> }) {
    super();
    this.#ask = ask;
    this.#now = now;
    this.follow = followAt(peers.shared ? interval.shared : interval.alone);
  }

  watch(filter: CallFilter, onEnd: () => void): CallReader {
    return this.add(new CallReader(filter, Math.floor(this.#now())), onEnd);
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
  /** Time of the latest call that was passed on; before it, the begin of the stream. A reader resumes from it. */
  #at: number;
  /** Ids of the calls with which the stream began. */
  #past: ReadonlySet<string> = new Set();

  /** @param at time at which the stream begins: milliseconds since the epoch */
  constructor(filter: CallFilter, at: number) {
    super();
    this.filter = filter;
    this.#at = at;
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

  /** Begins the stream with earlier calls. The earliest comes first. */
  begin(past: readonly CallSummary[], missing: readonly string[]): void {
    this.#past = new Set(past.map(({ id }) => id));
    const later = this.#waiting.filter(({ call }) => !call || !this.#past.has(call.id));
    this.#waiting = [...past.map((call) => ({ call, missingReplicas: [...missing] })), ...later];
  }

  /** Takes the answers of the replicas. If other replicas are missing than before, an event without a call says so. */
  offer(all: readonly (FoundCall & { readonly replica: string })[], missing: readonly string[]): void {
    const missingReplicas = [...missing];
    const fresh = all.flatMap(({ call, replica }): CallEvent[] =>
      !this.#past.has(call.id) && matches(call as unknown as CallRecord, this.filter, 0)
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
  readonly list: CallList;
  readonly watch: CallWatch;
  readonly streams: StreamLimit;
}

/** Most names of callers whose calls the store left out. */
const mostLeftOut = 20;

/** The operations about the calls of all replicas. */
export function callHandlers({ list, watch, streams }: CallHandlersDeps): AdminHandlers<'ListCalls' | 'WatchCalls'> {
  return {
    async ListCalls({ after, before, pageSize, pageToken = '', ...filter }) {
      const page = await list.page({
        filter,
        after: timeOf('after', after),
        before: timeOf('before', before),
        behind: positionOf(pageToken),
        size: pageSizeOf(pageSize, pageSizes),
      });
      return { value: pageShown(page) };
    },

    async WatchCalls({ after: given, ...filter }, context) {
      const { replay } = context;
      const after = typeof replay === 'object' ? replay.after : timeOf('after', given);
      const slot = streams.take(context);
      const events = watch.watch(filter, () => slot.release());
      if (after === undefined) return { events };
      try {
        const { calls, missing } = await list.page({ filter, after, size: pageSizes.max });
        events.begin(calls.toReversed(), missing);
        return { events };
      } catch (thrown) {
        await events.return();
        throw thrown;
      }
    },
  };
}

const pageShown = ({ calls, last, missing, completeSince, keptSince, gaps, leftOut }: CallPage): ListCallsResponse => ({
  calls: [...calls],
  nextPageToken: last ? tokenOf(last) : '',
  missingReplicas: [...missing],
  completeSince: timestamp(completeSince),
  ...(keptSince !== undefined && { keptSince: timestamp(keptSince) }),
  gaps: gaps.map(gapShown),
  leftOut: leftOut
    .slice(0, mostLeftOut)
    .map(({ principal, count, until }) => ({ principal, count, lastAt: timestamp(until) })),
});

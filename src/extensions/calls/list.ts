import type { AskReplicas } from '../../core/cluster/ask-replicas.ts';
import { A2AError } from '../../core/model/errors.ts';
import { isOutage } from '../../core/model/stored-form.ts';
import type { CallLog, CallRecord } from '../../core/telemetry/call-log.ts';
import type { CallSummary } from '../../gen/admin-v1/types.ts';
import { type CallPosition, inOrder, isBefore } from '../requests.ts';
import { type Gap, minutesOf, readKept, remembered, storedSince, unstoredSince } from './completeness.ts';
import {
  type CallFilter,
  type FoundCall,
  foundCall,
  idOf,
  instanceIn,
  isOfErrors,
  isOfKept,
  matches,
  readable,
} from './matches.ts';
import { isDecided } from './model.ts';
import type { KeptCalls } from './store/calls.ts';
import type { CallStore, LeftOut } from './store/store.ts';

/** A question for calls. Times are milliseconds since the epoch. */
export interface CallsQuestion {
  readonly filter: CallFilter;
  readonly after?: number | undefined;
  readonly before?: number | undefined;
  /** Only calls that come after this one in the list. */
  readonly behind?: CallPosition | undefined;
  readonly size: number;
}

/** A replica's answer from its memory. */
export interface CallsAnswer {
  /** Random id of the replica's run. Absent: the replica has an earlier version. */
  readonly instance?: string;
  readonly found: readonly FoundCall[];
  /** Arrival time since which the replica has all calls. */
  readonly since: number;
  /** Whether the store has the calls that it should keep of the replica. Absent: the replica has an earlier version. */
  readonly areStored?: boolean;
}

/** A page of the calls of all replicas. */
export interface CallPage {
  readonly calls: readonly CallSummary[];
  /** Position of the page's last call. Undefined: there are no more calls. */
  readonly last: CallPosition | undefined;
  readonly missing: readonly string[];
  readonly completeSince: number;
  /** Undefined: the store keeps no calls, or cannot be read now. */
  readonly keptSince: number | undefined;
  readonly gaps: readonly Gap[];
  readonly leftOut: readonly LeftOut[];
}

/** The calls and numbers that the store keeps. */
export interface Keeping {
  readonly kept: CallStore;
  /** Milliseconds for which calls and numbers are kept. */
  readonly keep: number;
  /** Returns the time by the store's clock: milliseconds since the epoch. */
  readonly now: () => number;
}

export interface CallListDeps {
  readonly ask: AskReplicas;
  /** Undefined: the store keeps no calls. */
  readonly keeping: Keeping | undefined;
  /** Duration in milliseconds from which on a call is slow. */
  readonly slow: number;
  /** Whether messages of errors are hidden, since agents may have written them. */
  readonly hidesWords: () => boolean;
}

/** Answers a question from the memory of this replica. */
export function answerFrom(log: CallLog, question: CallsQuestion, slow: number, hides: boolean): CallsAnswer {
  const { filter, behind, size } = question;
  const isOnlyErrors = isOfErrors(filter);
  const all: (CallPosition & { readonly record: CallRecord })[] = [];
  for (const each of log.records(isOnlyErrors)) {
    const record = readable(each, hides);
    if (!isInRange(record.at, question) || !matches(record, filter, slow)) continue;
    const position = { at: record.at, id: idOf(log, record), record };
    if (!behind || isBefore(behind, position)) all.push(position);
  }
  const latest = all.sort(inOrder).slice(0, size);
  const found = latest.map(({ id, record }) => foundCall(id, record));
  return { instance: log.instance, found, since: log.since(isOnlyErrors) };
}

const isInRange = (at: number, { after = 0, before = Number.POSITIVE_INFINITY }: CallsQuestion): boolean =>
  at >= after && at < before;

type Found = FoundCall & { readonly replica: string };

/** Lists calls from the memory of all replicas and from the store, each call once. */
export class CallList {
  readonly #deps: CallListDeps;

  constructor(deps: CallListDeps) {
    this.#deps = deps;
  }

  async page(question: CallsQuestion): Promise<CallPage> {
    const wanted = { ...question, size: question.size + 1 };
    // First, so that the store has what each replica no longer remembers.
    const { answers, missing } = await this.#deps.ask<CallsAnswer>('ListCalls', wanted);
    const found = answers.flatMap(({ replica, value }) => value.found.map((one) => ({ ...one, replica })));
    const answered = new Map(answers.map(({ replica, value }) => [value.instance ?? replica, value.since]));
    const areStored = answers.every(({ value }) => value.areStored !== false);
    const kept = await this.#fromStore(wanted, answered, areStored);
    const byId = new Map([...(kept?.found ?? []), ...found].map((one) => [one.id, one]));
    const all = [...byId.values()].sort(inOrder);
    const shown = all.slice(0, question.size);
    const inMemory = Math.max(...answered.values());
    return {
      calls: shown.map(({ call, replica }) => ({ ...call, replica })),
      last: all.length > shown.length ? shown.at(-1) : undefined,
      missing,
      completeSince: kept?.completeSince ?? inMemory,
      keptSince: kept?.since,
      gaps: kept?.gaps ?? [],
      leftOut: kept?.leftOut ?? [],
    };
  }

  /** Undefined: the store keeps nothing, or cannot be read now. */
  async #fromStore(question: CallsQuestion, answered: ReadonlyMap<string, number>, areStored: boolean) {
    const { keeping } = this.#deps;
    if (!keeping) return undefined;
    try {
      return await this.#read(keeping, question, answered, areStored);
    } catch (thrown) {
      // Operators look for the reasons of an outage, too.
      if (!isOutage(thrown)) throw A2AError.from(thrown);
      return undefined;
    }
  }

  async #read(
    { kept: store, keep, now: clock }: Keeping,
    question: CallsQuestion,
    answered: ReadonlyMap<string, number>,
    areStored: boolean,
  ) {
    const { after = 0, before = Number.POSITIVE_INFINITY, filter } = question;
    const range = { from: after, until: before };
    const now = clock();
    const kept = await readKept(store, { keep, now, answered: new Set(answered.keys()), range });
    const { agent = '', principal = '', dialect = '' } = filter;
    const leftOut = await store.leftOut({ agent, principal, dialect }, minutesOf(range));
    const found: Found[] = [];
    for await (const one of this.#matching(store.calls, question)) {
      found.push({ ...one, replica: kept.instances.get(instanceIn(one.id))?.replica ?? '' });
    }
    const inMemory = remembered(kept, answered, now);
    // While a replica cannot write, only memory has its latest calls.
    const inStore = areStored ? Math.max(storedSince(kept, leftOut), unstoredSince(kept, answered)) : now;
    const completeSince = isOfKept(filter) ? Math.min(inStore, inMemory) : inMemory;
    return { ...kept, found, leftOut, completeSince };
  }

  /** Yields the first matching calls of the store, as many as the question wants. */
  async *#matching(calls: KeptCalls, question: CallsQuestion): AsyncGenerator<FoundCall> {
    const { filter, after, before, behind, size } = question;
    const { outcome, failed, taskId, requestId, text, decided, rule, decision, ...equal } = filter;
    const hides = this.#deps.hidesWords();
    // Names of a rule and of an outcome are texts of the row; without any, the member's own name is.
    const named = [rule, decision, decided && 'decisions'];
    const texts = [taskId, requestId, text, ...named].filter((one): one is string => Boolean(one));
    const wanted = {
      ...equal,
      failed,
      outcome: outcomeNames[outcome ?? ''],
      texts,
      from: after,
      until: before,
      behind,
    };
    let left = size;
    for await (const page of calls.list(wanted)) {
      for (const { id, record: stored } of page) {
        const record = readable(stored, hides);
        // A call is kept since it was slow, or since a rule decided about it.
        if (!matches(record, filter, isDecided(record) ? this.#deps.slow : 0)) continue;
        yield foundCall(id, record);
        left -= 1;
        if (left === 0) return;
      }
    }
  }
}

const outcomeNames: Readonly<Record<string, 'failed' | 'refused' | 'slow' | undefined>> = {
  CALL_OUTCOME_FAILED: 'failed',
  CALL_OUTCOME_REFUSED: 'refused',
  CALL_OUTCOME_SLOW: 'slow',
};

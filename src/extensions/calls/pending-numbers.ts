import type { CallRecord } from '../../core/telemetry/call-log.ts';
import { isRefused, minuteMs, minuteOf, type NumberKey, Numbers, others } from './model.ts';

/** Callers, and entries of all of them, that are counted apart in one minute. Further entries have only their agent. */
export const mostInMinute = { principals: 50, entries: 150 } as const;
/** Most entries in memory. While the store takes none, each further minute has a single entry. */
const mostEntries = 5_000;
/** Most callers in memory whose numbers the store refuses. */
const mostRefused = 1_000;
/** Milliseconds after which a stored minute is removed from memory. */
const keptFor = 3 * minuteMs;

/** Numbers of this replica with one key. They replace its row in the store. */
export interface NumberEntry extends NumberKey {
  readonly numbers: Numbers;
  /** Whether the store may have a row with this key that the numbers do not include yet. */
  isUnread: boolean;
  /** Number of changes, and of those that are stored. */
  changes: number;
  stored: number;
}

interface Minute {
  readonly at: number;
  readonly entries: Map<string, NumberEntry>;
  readonly principals: Set<string>;
}

const keyText = (agent: string, principal: string, dialect: string): string => `${agent}\n${dialect}\n${principal}`;

/** The numbers of the latest minutes at this replica. */
export class PendingNumbers {
  readonly #minutes = new Map<number, Minute>();
  /** The minute of the latest call. */
  #latest: Minute | undefined;
  /** Minutes before this time may have rows in the store that are not in memory. */
  #unreadBefore = 0;
  #size = 0;
  /** Callers whose numbers the store refuses. */
  readonly #refused = new Set<string>();
  readonly #isAgent: (name: string) => boolean;

  /** @param isAgent whether there is an agent of a name: callers may call others */
  constructor(isAgent: (name: string) => boolean) {
    this.#isAgent = isAgent;
  }

  /** Counts a call, or a refused request. @param isLeftOut whether the store does not keep it, although it failed or was slow */
  note(record: CallRecord, isLeftOut: boolean): void {
    const { at, agent, principal = '', dialect = '', ms, error } = record;
    const entry = this.#entryOf(at, this.#isAgent(agent) ? agent : '', principal, dialect);
    entry.changes += 1;
    const { numbers } = entry;
    if (ms === undefined || isRefused(record)) numbers.add('refused');
    else {
      numbers.add('calls');
      numbers.observe(ms);
      if (error !== undefined) numbers.add('failed');
    }
    if (isLeftOut) numbers.add('leftOut');
  }

  /** Counts the end of a task. Its `minute` may be any time in it. */
  noteTask({ minute, agent, principal, dialect }: NumberKey, hasFailed: boolean): void {
    const entry = this.#entryOf(minute, agent, principal, dialect);
    entry.changes += 1;
    entry.numbers.add('tasksEnded');
    if (hasFailed) entry.numbers.add('tasksFailed');
  }

  /** Counts a call that was noted as one that the store does not keep. */
  noteLeftOut({ at, agent, principal = '', dialect = '' }: CallRecord): void {
    const entry = this.#entryOf(at, this.#isAgent(agent) ? agent : '', principal, dialect);
    entry.changes += 1;
    entry.numbers.add('leftOut');
  }

  /** Counts an entry that the store refuses, and all further calls of its caller, with those for which there is no room. */
  refuse(entry: NumberEntry): void {
    const { minute, agent, principal, dialect, numbers } = entry;
    if (principal === others) return;
    if (this.#refused.size < mostRefused) this.#refused.add(principal);
    const { entries, principals } = this.#minuteOf(minute);
    if (entries.delete(keyText(agent, principal, dialect))) this.#size -= 1;
    principals.delete(principal);
    const rest = this.#get(this.#minuteOf(minute), '', others, '');
    rest.changes += 1;
    rest.numbers.addAll(numbers.values);
  }

  #entryOf(at: number, agent: string, caller: string, dialect: string): NumberEntry {
    // As the store has it: rows with equal keys would be one.
    const principal = caller.toWellFormed();
    const minute = this.#minuteOf(at);
    const known = minute.entries.get(keyText(agent, principal, dialect));
    if (known) return known;
    const { entries, principals } = minute;
    if (this.#size >= mostEntries || this.#refused.has(principal)) return this.#get(minute, '', others, '');
    // Each agent is counted: there are only so many.
    if (entries.size >= mostInMinute.entries) return this.#get(minute, agent, others, '');
    const isCounted = principals.has(principal) || principals.size < mostInMinute.principals;
    if (!isCounted) return this.#get(minute, agent, others, dialect);
    principals.add(principal);
    return this.#get(minute, agent, principal, dialect);
  }

  #minuteOf(time: number): Minute {
    const at = minuteOf(time);
    if (this.#latest?.at === at) return this.#latest;
    const minute = this.#minutes.get(at) ?? { at, entries: new Map(), principals: new Set() };
    this.#minutes.set(at, minute);
    this.#latest = minute;
    return minute;
  }

  #get({ at, entries }: Minute, agent: string, principal: string, dialect: string): NumberEntry {
    const key = keyText(agent, principal, dialect);
    const known = entries.get(key);
    if (known) return known;
    const isUnread = at < this.#unreadBefore;
    const numbers = new Numbers();
    const entry = { minute: at, agent, principal, dialect, numbers, isUnread, changes: 0, stored: 0 };
    entries.set(key, entry);
    this.#size += 1;
    return entry;
  }

  /** Returns the entries whose latest change is not stored, in the order of their keys. The oldest minute comes first. */
  changed(): NumberEntry[] {
    const all = [...this.#minutes.values()].flatMap(({ entries }) => [...entries.values()]);
    return all.filter(({ changes, stored }) => changes !== stored).sort(inOrder);
  }

  /** Removes the past minutes that are stored from memory. @param now milliseconds since the epoch */
  trim(now: number): void {
    for (const [at, { entries }] of this.#minutes) {
      const isStored = entries.values().every(({ changes, stored }) => changes === stored);
      if (at + keptFor > now || !isStored) continue;
      this.#minutes.delete(at);
      this.#size -= entries.size;
      this.#unreadBefore = Math.max(this.#unreadBefore, at + minuteMs);
      if (this.#latest?.at === at) this.#latest = undefined;
    }
  }

  /** Forgets a caller. */
  forget(principal: string): void {
    this.#refused.delete(principal);
    for (const { entries, principals } of this.#minutes.values()) {
      principals.delete(principal);
      for (const [key, entry] of entries) {
        if (entry.principal !== principal) continue;
        entries.delete(key);
        this.#size -= 1;
      }
    }
  }
}

function inOrder(one: NumberEntry, other: NumberEntry): number {
  if (one.minute !== other.minute) return one.minute - other.minute;
  const [a, b] = [one, other].map(({ agent, principal, dialect }) => keyText(agent, principal, dialect));
  return (a as string) < (b as string) ? -1 : 1;
}

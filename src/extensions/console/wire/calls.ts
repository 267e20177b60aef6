import type { Dialects } from '../../../dialects/kernel/detect.ts';
import { type Callable, callablesOf } from './callables.ts';
import type { Answer } from './exchange.ts';

/** The calls of a tab: what was sent, and what became of it. */

/** What is kept of a call when the page is loaded again: its answer is not. */
export interface KeptCall {
  readonly at: number;
  readonly agent: string;
  readonly protocol: string;
  readonly binding: Callable['binding'];
  readonly name: string;
  /** The request as it was sent, without the credential. */
  readonly text: string;
  /** HTTP status. */
  readonly status?: number;
  readonly ms?: number;
  /** Reason of the error, such as `TASK_NOT_FOUND`. */
  readonly failed?: string;
}

/** Calls that are kept. */
export const maxCalls = 50;

/** Characters of a request that are kept; of a longer one only that there was a call. */
const maxText = 20_000;

/** What is kept of a call with this answer. */
export const withAnswer = (call: KeptCall, { status, ms, error, problem }: Answer): KeptCall => ({
  ...call,
  ...(status !== undefined && { status }),
  ...(ms !== undefined && { ms: Math.round(ms) }),
  ...((error || problem !== undefined) && { failed: error?.row.reason ?? 'unreadable' }),
});

/** The text to keep in the tab's storage, the latest calls first. */
export const stringifyCalls = (calls: readonly KeptCall[]): string =>
  JSON.stringify(calls.filter(({ text }) => text.length <= maxText).slice(0, maxCalls));

/** Reads what was kept. None where it is not valid. */
export function parseCalls(text: string | null): KeptCall[] {
  try {
    const value: unknown = JSON.parse(text ?? '[]');
    return Array.isArray(value) ? value.filter((call) => typeof call?.text === 'string').slice(0, maxCalls) : [];
  } catch {
    return [];
  }
}

/** The method of a kept call; undefined where this version has none of the kind. */
export function callableOfCall({ protocols }: Dialects, { protocol, binding, name }: KeptCall): Callable | undefined {
  const found = protocols.find((one) => one.name === protocol);
  return found && callablesOf(found, binding).find((one) => one.name === name);
}

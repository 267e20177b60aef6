import { A2AError } from '../core/model/errors.ts';
import { UrlRefused } from '../net/guard.ts';
import { describeNetworkError, neverArrived } from '../net/network-errors.ts';

/** What became of one attempt. Reasons name no path or query of the URL and nothing that the receiver said. */
export type AttemptResult =
  | { readonly kind: 'delivered' }
  /** It may go better next time. */
  | {
      readonly kind: 'failed';
      readonly reason: string;
      /** Milliseconds that the receiver wants to be left alone. */
      readonly retryAfter?: number;
      /** Nothing answered, so that others who send there will fare alike. */
      readonly silent?: true;
      /** The connection was closed before the answer. */
      readonly cut?: true;
    }
  /** It will never go better. */
  | { readonly kind: 'refused'; readonly reason: string }
  /** The gateway stops. */
  | { readonly kind: 'canceled' };

/** The longest wait that a receiver may ask for, milliseconds. */
const longestWait = 86_400_000;

/** Milliseconds that `Retry-After` asks for, in seconds or as a date. */
function waitOf(header: string | undefined, now: number): number | undefined {
  if (header === undefined) return undefined;
  const text = header.trim();
  const ms = /^\d{1,9}$/.test(text) ? Number(text) * 1_000 : Date.parse(text) - now;
  return Number.isNaN(ms) ? undefined : Math.min(Math.max(0, ms), longestWait);
}

/** What an answer means. Whatever is not 2xx is no delivery; a redirection is not followed. */
export function resultOfStatus(status: number, retryAfter: string | undefined): AttemptResult {
  if (status >= 200 && status < 300) return { kind: 'delivered' };
  if (status === 410) return { kind: 'refused', reason: 'the receiver is gone (HTTP 410)' };
  const reason = status >= 300 && status < 400 ? `HTTP ${status}: redirections are not followed` : `HTTP ${status}`;
  const wait = waitOf(retryAfter, Date.now());
  return wait === undefined ? { kind: 'failed', reason } : { kind: 'failed', reason, retryAfter: wait };
}

/** What an error on the way means. */
export function resultOfError(thrown: unknown): AttemptResult {
  const refused = refusalIn(thrown);
  if (refused) return { kind: 'failed', reason: refused.message };
  const error = A2AError.from(thrown);
  if (error.kind === 'canceled') return { kind: 'canceled' };
  if (error.kind === 'upstreamTimeout') return { kind: 'failed', reason: 'no answer in time', silent: true };
  if (error.kind === 'upstreamUnreachable') {
    const reason = describeNetworkError(error.cause);
    return neverArrived(error) ? { kind: 'failed', reason, silent: true } : { kind: 'failed', reason, cut: true };
  }
  return { kind: 'failed', reason: 'the answer is not HTTP' };
}

/** A name may be led elsewhere tomorrow, so that what it leads to today is no last word. */
function refusalIn(thrown: unknown): UrlRefused | undefined {
  for (let error = thrown; error instanceof Error; error = error.cause) if (error instanceof UrlRefused) return error;
  return undefined;
}

import type { JSX } from 'preact';
import type { CallGap, LeftOutCalls } from '../gateway/admin.ts';
import { count } from '../ui/format.ts';
import { Clock, Text } from '../ui/index.ts';

/** Since when calls or numbers are complete, as an answer says it. */
export interface Completeness {
  readonly completeSince?: string | undefined;
  /** Since then, only what the gaps and the callers with too many calls explain is missing. */
  readonly keptSince?: string;
  readonly gaps?: readonly CallGap[];
  readonly leftOut?: readonly LeftOutCalls[];
}

/** Number of gaps, and of callers, that are named. */
const most = 3;

/**
 * Since when a list or a number is complete, and what is missing of the time before.
 *
 * @param from start of the time that is shown; absent: it has none
 */
export function Complete(props: { readonly of: Completeness; readonly from?: string | undefined }): JSX.Element | null {
  const { completeSince, keptSince = '', gaps = [], leftOut = [] } = props.of;
  if (completeSince === undefined) return null;
  const start = Date.parse(props.from ?? '');
  const isWhole = Date.parse(completeSince) <= start;
  const isKept = Date.parse(keptSince) < Date.parse(completeSince);
  return (
    <span>
      Complete{isWhole ? '' : ' since '}
      {!isWhole && <Clock at={completeSince} />}
      {!isWhole && isKept && '; kept since '}
      {!isWhole && isKept && <Clock at={keptSince} />}
      {gaps.slice(0, most).map(({ replica = '', from, until }) => (
        <span key={`${replica} ${from}`}>
          , but for what replica <Text value={replica} max={40} /> had from <Clock at={from} /> to <Clock at={until} />
        </span>
      ))}
      {gaps.length > most && `, and ${count(gaps.length - most)} more such times`}
      {leftOut.slice(0, most).map(({ principal = '', count: calls = 0 }) => (
        <span key={principal}>
          ; {count(Number(calls))} more calls of <Text value={principal || 'callers without a credential'} max={60} />{' '}
          are counted, and not listed
        </span>
      ))}
      .
    </span>
  );
}

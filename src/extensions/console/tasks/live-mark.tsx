import type { JSX } from 'preact';
import type { GatewayError } from '../gateway/error.ts';
import type { LiveState } from '../gateway/live.ts';

const texts: Readonly<Record<LiveState, string>> = {
  connecting: 'Connecting…',
  open: 'Live',
  lost: 'Connection lost. Trying again…',
  ended: '',
  refused: 'Not live',
};

/** Says whether what is shown is kept current. */
export function LiveMark({
  state,
  refusal,
  paused = false,
}: {
  readonly state: LiveState;
  readonly refusal?: GatewayError | undefined;
  readonly paused?: boolean;
}): JSX.Element {
  const text = paused ? 'Paused' : texts[state];
  return (
    <span class={`live live-${paused ? 'paused' : state}`} role="status">
      {state === 'refused' && refusal ? `${text}: ${refusal.message}` : text}
    </span>
  );
}

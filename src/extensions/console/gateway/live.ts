import { GatewayError } from './error.ts';

/** The state of a stream that is kept open. */
export type LiveState = 'connecting' | 'open' | 'lost' | 'ended' | 'refused';

interface LiveOptions<E, P> {
  /** Position after which the first stream begins. */
  readonly from?: P;
  /** Returns the position of an event; undefined for one that was received before, which is left out. */
  readonly next: (event: E, id: string | undefined, last: P | undefined) => P | undefined;
  /** Ends the stream. The iteration then ends too. */
  readonly signal: AbortSignal;
  /** Called with the state; `error`: the reason for a loss or refusal. */
  readonly onState?: (state: LiveState, error?: GatewayError) => void;
  /** Whether the gateway never ends this stream on purpose: then an end is a loss. */
  readonly endless?: boolean;
  /** Milliseconds without an event after which the stream counts as broken. Default: no limit. */
  readonly silence?: number;
  /** Waits before another attempt. */
  readonly pause: (ms: number, signal: AbortSignal) => Promise<void>;
}

/** Opens one stream after a position. */
export type OpenStream<E, P> = (
  after: P | undefined,
  options: { readonly signal: AbortSignal; readonly onOpen: () => void },
) => AsyncIterable<{ readonly id: string | undefined; readonly event: E }>;

const firstPause = 300;
const longestPause = 5_000;

/**
 * Keeps a stream open: if it breaks, reopens it after the last position, so that no event is missed or repeated. Ends
 * when the gateway ends the stream or refuses the call, and with the signal; never throws.
 */
export async function* live<E, P>(open: OpenStream<E, P>, options: LiveOptions<E, P>): AsyncGenerator<E> {
  const { next, signal, endless = false, silence, onState = () => {}, pause } = options;
  let last = options.from;
  let wait = firstPause;
  let emptyEnds = 0;
  onState('connecting');
  while (!signal.aborted) {
    let error: GatewayError | undefined;
    let events = 0;
    const silent = new AbortController();
    let timer: ReturnType<typeof setTimeout> | undefined;
    const listen = (): void => {
      clearTimeout(timer);
      if (silence !== undefined) timer = setTimeout(() => silent.abort(), silence);
    };
    try {
      listen();
      const onOpen = (): void => onState('open');
      for await (const { id, event } of open(last, { signal: AbortSignal.any([signal, silent.signal]), onOpen })) {
        listen();
        events += 1;
        wait = firstPause;
        const position = next(event, id, last);
        if (position === undefined) continue;
        last = position;
        yield event;
      }
    } catch (thrown) {
      if (signal.aborted) return;
      error = thrown instanceof GatewayError ? thrown : new GatewayError(0, 'BROKEN', 'The stream broke.');
      if (!error.temporary && error.status < 500) {
        onState('refused', error);
        return;
      }
    } finally {
      clearTimeout(timer);
    }
    if (signal.aborted) return;
    // A gateway that stops ends its streams too. Only a stream that ends at once, twice, is complete.
    emptyEnds = error || events > 0 ? 0 : emptyEnds + 1;
    if (emptyEnds >= 2 && !endless) {
      onState('ended');
      return;
    }
    if (error || endless) {
      onState('lost', error);
      const retryAfter = (error?.retryAfter ?? 0) * 1_000;
      await pause(Math.max(retryAfter, wait * (0.75 + Math.random() / 2)), signal);
      wait = Math.min(wait * 2, longestPause);
      onState('connecting');
    }
  }
}

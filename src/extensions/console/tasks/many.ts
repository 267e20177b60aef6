import { messageOf } from '../gateway/error.ts';

/** Number of things that are acted on at the same time. */
const atOnce = 4;

/** Outcome of an action on one of several things. */
export interface Outcome<T> {
  readonly item: T;
  /** Reason for a refusal or failure. */
  readonly error?: string;
}

/** Acts on things, a few at a time, and reports each outcome. A failure does not end the others; the signal does. */
export async function onEach<T>(
  items: readonly T[],
  act: (item: T, signal: AbortSignal) => Promise<void>,
  signal: AbortSignal,
  onOutcome: (outcome: Outcome<T>) => void,
): Promise<void> {
  const left = items.values();
  const work = async (): Promise<void> => {
    for (const item of left) {
      if (signal.aborted) return;
      const error = await act(item, signal).then(() => undefined, messageOf);
      if (!signal.aborted) onOutcome({ item, ...(error !== undefined && { error }) });
    }
  };
  await Promise.all(Array.from({ length: atOnce }, work));
}

import { type ReadonlySignal, useSignal } from '@preact/signals';
import { useEffect, useMemo, useRef } from 'preact/hooks';
import { reconnections } from '../shell/connection.ts';

/** What reads from the gateway while it is open. */
export interface Openable {
  open(): Promise<void>;
  close(): void;
  /** Why it could not be read. */
  readonly error: ReadonlySignal<unknown>;
}

/**
 * Opens something for as long as the component is shown. Another one takes its place when the key changes, by the function
 * that is returned, and when a lost connection comes back after it could not be read.
 */
export function useOpened<T extends Openable>(make: () => T, key: string): readonly [T, () => void] {
  const attempt = useSignal(0);
  const id = `${attempt.value} ${key}`;
  const opened = useMemo(make, [id]);
  useEffect(() => {
    void opened.open();
    return () => opened.close();
  }, [opened]);
  const again = (): void => {
    attempt.value += 1;
  };
  const back = reconnections.value;
  const seen = useRef(back);
  useEffect(() => {
    if (seen.current !== back && opened.error.peek() !== undefined) attempt.value += 1;
    seen.current = back;
  }, [back, opened, attempt]);
  return [opened, again];
}

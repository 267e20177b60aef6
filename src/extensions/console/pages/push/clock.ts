import { type Signal, useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';

/** The time in milliseconds, every second while the component is shown. */
export function useClock(): Signal<number> {
  const now = useSignal(Date.now());
  useEffect(() => {
    const timer = setInterval(() => {
      now.value = Date.now();
    }, 1_000);
    return () => clearInterval(timer);
  }, [now]);
  return now;
}

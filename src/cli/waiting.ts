import type { Output } from './output.ts';

/** A line on stderr that says what is waited for, and how long already. */
export interface Waiting {
  /** Changes what is waited for. */
  say(what: string): void;
  /** Takes the line away. May be called again. */
  stop(): void;
}

/** Shows progress from the first second on. */
export function startWaiting(output: Output, what: string): Waiting {
  const start = performance.now();
  let said = what;
  const show = (): void => output.progress(`${said.trim()} … ${Math.round((performance.now() - start) / 1000)} s`);
  const timer = setInterval(show, 1000);
  timer.unref();
  return {
    say(next) {
      said = next;
      show();
    },
    stop() {
      clearInterval(timer);
      output.clearProgress();
    },
  };
}

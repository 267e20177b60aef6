/**
 * Loaded into a gateway's process before the gateway: measures how long SQLite holds the event loop. Every call of
 * node:sqlite is timed by the wall clock, and the calls of one turn of the loop are added up, because no other work is
 * done between them. A call in a worker thread does not count. Answers `hold`, and begins anew.
 */
import { monitorEventLoopDelay, performance } from 'node:perf_hooks';
import { DatabaseSync, StatementSync } from 'node:sqlite';

/** Milliseconds since the last question. */
export interface Hold {
  /** The longest time that SQLite took in one turn of the event loop. */
  readonly hold: number;
  /** Turns in which it took five milliseconds or more. */
  readonly long: number;
  /** The longest delay of the event loop from any cause, storage, garbage collection and the machine's among them. */
  readonly delay: number;
}

const fresh = { turn: -1, held: 0, longest: 0, long: 0 };
let state = { ...fresh };
const delays = monitorEventLoopDelay({ resolution: 5 });
delays.enable();

function add(milliseconds: number): void {
  const turn = performance.nodeTiming.uvMetricsInfo.loopCount;
  const before = turn === state.turn ? state.held : 0;
  state.turn = turn;
  state.held = before + milliseconds;
  if (state.held > state.longest) state.longest = state.held;
  if (before < 5 && state.held >= 5) state.long += 1;
}

type Method = (this: unknown, ...args: unknown[]) => unknown;

function time(prototype: object, names: readonly string[]): void {
  const methods = prototype as Record<string, Method>;
  for (const name of names) {
    const method = methods[name];
    if (!method) continue;
    methods[name] = function (...args) {
      const begin = performance.now();
      try {
        return method.apply(this, args);
      } finally {
        add(performance.now() - begin);
      }
    };
  }
}
time(DatabaseSync.prototype, ['exec', 'prepare']);
time(StatementSync.prototype, ['run', 'get', 'all']);

process.on('message', (question) => {
  if (question !== 'hold') return;
  process.send?.({ hold: state.longest, long: state.long, delay: delays.max / 1e6 } satisfies Hold);
  state = { ...fresh };
  delays.reset();
});

/**
 * Loaded into a gateway's process before the gateway: measures how long SQLite holds the event loop. Every call of
 * node:sqlite is timed by the wall clock, and the calls of one turn of the loop are added up, because no other work is
 * done between them. A call in a worker thread does not count, nor does the time in which the thread waits for a core that
 * another process has, where the system tells it (Linux). Answers `hold`, and begins anew.
 */
import { existsSync, openSync, readSync } from 'node:fs';
import { monitorEventLoopDelay, performance } from 'node:perf_hooks';
import { DatabaseSync, StatementSync } from 'node:sqlite';

/** Milliseconds since the last question. */
export interface Hold {
  /** The longest time that SQLite took in one turn of the event loop. */
  readonly hold: number;
  /** The longest time including the wait for a core. */
  readonly wall: number;
  /** Turns in which it took five milliseconds or more. */
  readonly long: number;
  /** The longest delay of the event loop from any cause, storage, garbage collection and the machine's among them. */
  readonly delay: number;
}

const fresh = { turn: -1, waited: 0, held: 0, longest: 0, wall: 0, long: 0, isLong: false };
let state = { ...fresh };
const delays = monitorEventLoopDelay({ resolution: 5 });
delays.enable();

const statistics = '/proc/self/schedstat';
const file = existsSync(statistics) ? openSync(statistics, 'r') : undefined;
const buffer = Buffer.alloc(128);

/** Milliseconds for which the main thread has waited for a core. */
function waited(): number {
  if (file === undefined) return 0;
  const [, nanoseconds] = buffer.toString('latin1', 0, readSync(file, buffer, 0, buffer.length, 0)).split(' ');
  return Number(nanoseconds) / 1e6;
}

function begin(): void {
  const turn = performance.nodeTiming.uvMetricsInfo.loopCount;
  if (turn !== state.turn) Object.assign(state, { turn, waited: waited(), held: 0, isLong: false });
}

function add(milliseconds: number): void {
  state.held += milliseconds;
  state.wall = Math.max(state.wall, state.held);
  if (state.held <= state.longest) return;
  const held = state.held - (waited() - state.waited);
  state.longest = Math.max(state.longest, held);
  if (state.isLong || held < 5) return;
  state.isLong = true;
  state.long += 1;
}

type Method = (this: unknown, ...args: unknown[]) => unknown;

function time(prototype: object, names: readonly string[]): void {
  const methods = prototype as Record<string, Method>;
  for (const name of names) {
    const method = methods[name];
    if (!method) continue;
    methods[name] = function (...args) {
      begin();
      const began = performance.now();
      try {
        return method.apply(this, args);
      } finally {
        add(performance.now() - began);
      }
    };
  }
}
time(DatabaseSync.prototype, ['exec', 'prepare']);
time(StatementSync.prototype, ['run', 'get', 'all']);

process.on('message', (question) => {
  if (question !== 'hold') return;
  process.send?.({ hold: state.longest, wall: state.wall, long: state.long, delay: delays.max / 1e6 } satisfies Hold);
  state = { ...fresh };
  delays.reset();
});

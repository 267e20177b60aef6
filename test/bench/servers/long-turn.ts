/**
 * Loaded into a gateway's process before the gateway: measures its longest turn of the event loop, as CPU of the main thread
 * between two ticks of a timer, which does not count what other processes take of the machine. Answers `turn`, and begins anew.
 */

/** Milliseconds since the last question. */
export interface LongTurn {
  /** The longest time that the main thread worked without returning to the event loop. */
  readonly turn: number;
  /** The number of turns of 50 ms or longer. */
  readonly long: number;
}

const tick = 2;
let state = { turn: 0, long: 0 };
const cpu = (): number => {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1_000;
};
let before = cpu();
setInterval(() => {
  const now = cpu();
  const turn = now - before;
  before = now;
  if (turn > state.turn) state.turn = turn;
  if (turn >= 50) state.long += 1;
}, tick).unref();

process.on('message', (question) => {
  if (question !== 'turn') return;
  process.send?.(state satisfies LongTurn);
  state = { turn: 0, long: 0 };
  before = cpu();
});

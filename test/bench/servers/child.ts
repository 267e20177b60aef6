/** What a benchmarked server tells its parent, and is asked by it. */
export interface Usage {
  /** Microseconds of CPU, user and system, since the process began. */
  readonly cpu: number;
  /** Bytes. */
  readonly rss: number;
}

export interface Ready {
  readonly http?: number;
  readonly grpc?: number;
}

/** Tells the parent where the server listens, and answers its questions until it goes away. */
export function report(ready: Ready): void {
  process.on('message', (question) => {
    // Modules that are loaded before the server answer other questions.
    if (question !== 'cpu' && question !== 'memory') return;
    // Only where memory is asked for: a collection while nothing is under way throws away what was optimised.
    if (question === 'memory') globalThis.gc?.();
    const { user, system } = process.cpuUsage();
    process.send?.({ cpu: user + system, rss: process.memoryUsage.rss() } satisfies Usage);
  });
  // To exit, and not to be killed, lets the server remove its files.
  for (const end of ['disconnect', 'SIGINT', 'SIGTERM']) process.on(end, () => process.exit(0));
  process.send?.(ready);
}

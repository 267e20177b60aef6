import { getHeapSpaceStatistics } from 'node:v8';

/** Resource usage that a benchmarked server reports to its parent. */
export interface Usage {
  /** Microseconds of CPU, user and system, since the process began. */
  readonly cpu: number;
  /** Bytes of resident memory. */
  readonly rss: number;
  /** Bytes of it that are V8's young generation, which grows in steps and never shrinks. */
  readonly young: number;
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
    const space = getHeapSpaceStatistics().find(({ space_name: name }) => name === 'new_space');
    const young = space?.physical_space_size ?? 0;
    process.send?.({ cpu: user + system, rss: process.memoryUsage.rss(), young } satisfies Usage);
  });
  // To exit, and not to be killed, lets the server remove its files.
  for (const end of ['disconnect', 'SIGINT', 'SIGTERM']) process.on(end, () => process.exit(0));
  process.send?.(ready);
}

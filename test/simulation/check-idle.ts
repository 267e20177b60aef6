import type { Violation } from '../workload/check-logs.ts';

/** Resources of a replica: counted by the simulation, and by its metrics. */
export interface Held {
  /** Timers of the virtual clock. */
  readonly timers: number;
  /** Addresses on the other side of its connections. */
  readonly peers: readonly string[];
  /** The gauges of `idleGauges`, each over all of its labels. */
  readonly gauges: Readonly<Record<string, number>>;
}

/** Gauges that are 0 while nothing happens: calls, streams, tasks in memory, and deliveries that are under way. */
const idleGauges = ['requests_in_flight', 'streams_open', 'tasks_live', 'push_held'] as const;

/** Reads the gauges out of a page of metrics. */
export function gaugesOf(page: string): Held['gauges'] {
  const sumOf = (name: string): number => {
    const lines = page.matchAll(new RegExp(`^a2a_gateway_${name}(?:\\{[^}]*\\})? (\\S+)$`, 'gm'));
    return Array.from(lines, ([, value]) => Number(value)).reduce((sum, value) => sum + value, 0);
  };
  return Object.fromEntries(idleGauges.map((name) => [name, sumOf(name)]));
}

/** Timers that a replica may have besides those of one that has just been started: of each agent that it has called. */
const timersPerAgent = 2;

/**
 * Checks that each replica, after all work has ended, holds the resources of one that has just been started, and at
 * most one connection to each agent.
 *
 * @param agents addresses of the agents behind it, one for each: several may have the same
 */
export function checkIdle(held: ReadonlyMap<string, Held>, fresh: Held, agents: readonly string[]): Violation[] {
  const most = fresh.timers + timersPerAgent * agents.length;
  return [...held].flatMap(([name, { timers, peers, gauges }]) => {
    const found = Object.entries(gauges).flatMap(([gauge, value]) => (value === 0 ? [] : [`${gauge} is ${value}`]));
    if (timers > most) found.push(`it has ${timers} timers, and one that has just been started ${fresh.timers}`);
    const spare = [...agents];
    const left = peers.filter((peer) => {
      const at = spare.indexOf(peer);
      if (at >= 0) spare.splice(at, 1);
      return at < 0;
    });
    if (left.length > 0) found.push(`it has connections that nobody needs: ${left.join(', ')}`);
    return found.map((what) => ({ what: `${name} is idle, and ${what}` }));
  });
}

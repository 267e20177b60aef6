import type { Fleet } from './fleet.ts';
import type { FurtherBlow, FurtherName } from './further.ts';
import type { WireAgents } from './wire-agents.ts';

/** What further blows may touch. */
export interface Stage {
  readonly fleet: Fleet;
  readonly agents: WireAgents;
  /** Agents that are being started again. */
  readonly crashed: Set<string>;
  /** Undoes a blow after some virtual milliseconds. */
  lasts(ms: number, undo: () => void): void;
  /** Goes on with something that must be over before the fleet is judged. */
  goesOn(work: () => Promise<void>): void;
  /** Notes that a blow has changed something. */
  struck(what: FurtherName): void;
}

type Strike<K extends FurtherName> = (blow: Extract<FurtherBlow, { what: K }>, stage: Stage) => void;

/** Milliseconds that bytes take while a link is slow. */
const slow = [50, 1_500] as const;

/** How each kind of further trouble strikes. */
const strikes: { readonly [K in FurtherName]: Strike<K> } = {
  crash({ agent, then, ms }, { fleet: { world }, agents, crashed, goesOn, struck }) {
    if (crashed.has(agent) || !agents.hostOf(agent)) return;
    crashed.add(agent);
    agents.kill(agent);
    struck('crash');
    goesOn(async () => {
      await new Promise<void>((resolve) => void world.after(ms, resolve));
      await agents.restart(agent, then);
      crashed.delete(agent);
    });
  },
  apart({ replica, agent, how, ms }, { fleet, agents, lasts, struck }) {
    const host = fleet.replicas[replica]?.host;
    const other = agents.hostOf(agent);
    if (!host || !other) return;
    const link = fleet.network.link(host, other);
    const before = link.latency;
    if (how === 'slow') link.latency = slow;
    else link.state = how;
    struck('apart');
    lasts(ms, () => {
      link.latency = before;
      link.state = 'open';
    });
  },
};

const isFurther = (blow: { readonly what: string }): blow is FurtherBlow => Object.hasOwn(strikes, blow.what);

/** Lets a further blow fall. False: it is of another kind. */
export function strikeFurther(blow: { readonly what: string }, stage: Stage): boolean {
  if (!isFurther(blow)) return false;
  (strikes[blow.what] as Strike<FurtherName>)(blow as never, stage);
  return true;
}

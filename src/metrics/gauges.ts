import type { AgentHealth } from '../core/model/agent.ts';
import type { StoreConnections, StoreFigures } from '../core/ports/store.ts';
import { counter, type Family, gauge, unlabeled } from './family.ts';

/** How deliveries of push notifications go: counts from the gateway's start, and what is in hand. */
export interface PushFigures {
  readonly delivered: number;
  readonly failed: number;
  /** Events that were given up. */
  readonly dead: number;
  readonly held: number;
  readonly receivers: number;
  readonly silent: number;
}

/** How things stand in the database; undefined where it does not answer. */
export function storeFamilies(figures: StoreFigures | undefined, connections: StoreConnections | undefined): Family[] {
  const { open = 0, idle = 0, waiting = 0 } = connections ?? {};
  return [
    gauge('store_up', 'Whether the database answers: 1, or 0.', unlabeled(figures ? 1 : 0)),
    gauge(
      'store_connections',
      'Connections to the database, by what they do. None of a database within the process.',
      connections
        ? [
            [{ state: 'busy' }, open - idle],
            [{ state: 'idle' }, idle],
          ]
        : [],
    ),
    gauge('store_connections_awaited', 'Accesses that wait for a connection.', connections ? unlabeled(waiting) : []),
    gauge('gateways', 'Gateways on the store that are alive.', figures ? unlabeled(figures.replicas) : []),
  ];
}

/** States of agents. */
const states = ['ok', 'connecting', 'unreachable'] as const;
/** States of circuit breakers. */
const breakers = ['closed', 'half-open', 'open'] as const;

/** How agents are: 1 for the state that an agent is in. */
export function agentFamilies(agents: Readonly<Record<string, AgentHealth>>): Family[] {
  const each = Object.entries(agents);
  return [
    gauge(
      'agent_state',
      'How agents can be reached: 1 for the state that the agent is in.',
      each.flatMap(([agent, { state }]) =>
        states.map((one) => [{ agent, state: one }, one === state ? 1 : 0] as const),
      ),
    ),
    gauge(
      'upstream_breaker_state',
      'Circuit breakers of upstream agents: 1 for the state that the breaker is in.',
      each.flatMap(([agent, { breaker }]) =>
        breaker === undefined ? [] : breakers.map((one) => [{ agent, state: one }, one === breaker ? 1 : 0] as const),
      ),
    ),
  ];
}

/**
 * How deliveries of push notifications go.
 *
 * @param now by the store's clock
 */
export function pushFamilies(push: PushFigures, figures: StoreFigures | undefined, now: number): Family[] {
  const { due = 0, waiting = 0, oldest } = figures?.push ?? {};
  const age = oldest === undefined ? 0 : Math.max(0, now - oldest) / 1_000;
  return [
    counter('push_deliveries', 'Attempts to deliver push notifications, by how they ended.', [
      [{ result: 'delivered' }, push.delivered],
      [{ result: 'failed' }, push.failed],
    ]),
    counter('push_dead', 'Events that were given up.', unlabeled(push.dead)),
    gauge('push_held', 'Deliveries that this gateway has in hand.', unlabeled(push.held)),
    gauge('push_receivers', 'Receivers that this gateway delivers to, by whether they answer.', [
      [{ state: 'answering' }, push.receivers - push.silent],
      [{ state: 'silent' }, push.silent],
    ]),
    gauge(
      'push_queue',
      'Push configurations of all gateways with something to deliver: at once, or after a failure. Bounded.',
      figures
        ? [
            [{ state: 'due' }, due],
            [{ state: 'waiting' }, waiting],
          ]
        : [],
    ),
    gauge(
      'push_oldest_seconds',
      'Age of the oldest event that is to be delivered; 0 without any.',
      figures ? unlabeled(age) : [],
    ),
  ];
}

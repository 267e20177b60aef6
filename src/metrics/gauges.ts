import type { AgentHealth } from '../core/model/agent.ts';
import type { AgentMode } from '../core/ports/agent-modes.ts';
import type { StoreConnections, StoreFigures } from '../core/ports/store.ts';
import type { Meters, StreamMeter } from '../core/telemetry/meters.ts';
import { by, counter, type Family, gauge } from './family.ts';

/** Deliveries of push notifications: counts since the gateway started, and deliveries in progress. */
export interface PushFigures {
  readonly delivered: number;
  readonly failed: number;
  readonly dead: number;
  readonly held: number;
  readonly receivers: number;
  readonly silent: number;
}

/** Returns the counts of the bindings and of reloads. */
export function meterFamilies({ streams, refusals, slowReaders, reloads }: Meters): Family[] {
  const ofStreams = (key: keyof StreamMeter) =>
    by(
      'binding',
      Array.from(streams, ([binding, meter]) => [binding, meter[key]]),
    );
  return [
    counter(
      'requests_refused',
      'Requests that were refused before they became calls, by the kind of error.',
      [...refusals].flatMap(([binding, kinds]) =>
        Array.from(kinds, ([kind, count]) => [{ binding, kind }, count] as const),
      ),
    ),
    gauge('streams_open', 'Open streams.', ofStreams('open')),
    counter('streams', 'Streams that have begun.', ofStreams('begun')),
    counter('streams_resumed', 'Streams that were resumed with Last-Event-ID.', ofStreams('resumed')),
    counter('stream_events', 'Events that were written to streams.', ofStreams('events')),
    counter('slow_readers', 'Connections closed because the client read too slowly.', slowReaders),
    counter('reloads', 'Configuration reloads, by result.', by('result', reloads), 'highest'),
  ];
}

/** Returns the state of the database. Its figures are undefined if it does not answer. */
export const storeFamilies = (
  figures: StoreFigures | undefined,
  connections: StoreConnections | undefined,
  damagedRows: number,
): Family[] => [
  gauge('store_up', 'Whether the database answers: 1, or 0.', figures ? 1 : 0, 'lowest'),
  gauge(
    'store_connections',
    'Connections to PostgreSQL, by state. None for a database within the process.',
    connections && by('state', { busy: connections.open - connections.idle, idle: connections.idle }),
  ),
  gauge('store_connections_awaited', 'Accesses that wait for a connection.', connections?.waiting),
  gauge(
    'store_damaged_rows',
    'Rows of the store that this gateway cannot read, and has left out.',
    damagedRows,
    'highest',
  ),
  gauge('gateways', 'Live gateways on the store.', figures?.replicas, 'highest'),
];

const agentStates: readonly AgentHealth['state'][] = ['ok', 'connecting', 'unreachable'];
const breakerStates = ['closed', 'half-open', 'open'];
const agentModes: readonly AgentMode[] = ['enabled', 'draining', 'disabled'];

/** Returns the state of agents: 1 for the current state, 0 for the others. */
export function agentFamilies(agents: Readonly<Record<string, AgentHealth>>): Family[] {
  const flags = (values: readonly string[], key: 'state' | 'breaker' | 'mode', label = 'state') =>
    Object.entries(agents).flatMap(([agent, { [key]: current }]) =>
      current === undefined
        ? []
        : values.map((value) => [{ agent, [label]: value }, value === current ? 1 : 0] as const),
    );
  return [
    gauge('agent_state', 'State of agents: 1 for the current one, else 0.', flags(agentStates, 'state'), 'highest'),
    gauge(
      'agent_mode',
      'What agents accept, as operators have set it: 1 for the current mode, else 0.',
      flags(agentModes, 'mode', 'mode'),
      'highest',
    ),
    gauge(
      'upstream_breaker_state',
      'State of the circuit breakers of upstream agents: 1 for the current one, else 0.',
      flags(breakerStates, 'breaker'),
      'highest',
    ),
    gauge(
      'upstream_copies',
      'Copies of upstream agents that have several, by whether they get new tasks or are left out.',
      Object.entries(agents).flatMap(([agent, { parts }]) =>
        ['false', 'true'].flatMap((leftOut) => {
          const count = parts?.filter((part) => part.leftOut === leftOut).length;
          const state = leftOut === 'true' ? 'left-out' : 'ok';
          return count === undefined ? [] : [[{ agent, state }, count] as const];
        }),
      ),
      'lowest',
    ),
  ];
}

/** @param now milliseconds by the store's clock */
export function pushFamilies(push: PushFigures, figures: StoreFigures | undefined, now: number): Family[] {
  const queue = figures?.push;
  const age = queue?.oldest === undefined ? 0 : Math.max(0, now - queue.oldest) / 1_000;
  const { delivered, failed, receivers, silent } = push;
  return [
    counter(
      'push_deliveries',
      'Attempts to deliver push notifications, by result.',
      by('result', { delivered, failed }),
    ),
    counter('push_dead', 'Events that became dead letters.', push.dead),
    gauge('push_held', 'Deliveries that are under way in this gateway.', push.held),
    gauge(
      'push_receivers',
      'Receivers that this gateway delivers to, by whether they answer.',
      by('state', { answering: receivers - silent, silent }),
    ),
    gauge(
      'push_queue',
      'Push configurations of all gateways with events to deliver: now, or after a failure. Bounded.',
      queue && by('state', { due: queue.due, waiting: queue.waiting }),
      'highest',
    ),
    gauge('push_oldest_seconds', 'Age of the oldest event to deliver; 0 if there is none.', queue && age, 'highest'),
  ];
}

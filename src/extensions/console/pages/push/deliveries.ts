import type { DeliveryStatus } from '../../../../gen/admin-v1/types.ts';

/** Identifies a delivery in a list: a configuration has one row that waits, and one for each dead letter. */
export const keyOf = ({ taskKey, taskId, configId, state, firstPosition }: DeliveryStatus): string =>
  [taskKey ?? taskId, configId, state, state === 'dead' ? firstPosition : ''].join(' ');

/** Positions of undelivered events: `3`, or `3 to 7`. */
export const positions = ({ firstPosition = 0, lastPosition = 0 }: DeliveryStatus): string =>
  lastPosition > firstPosition ? `${firstPosition} to ${lastPosition}` : `${firstPosition}`;

/** Undelivered events of a configuration. */
export const undelivered = ({ firstPosition = 0, lastPosition = 0 }: DeliveryStatus): number =>
  firstPosition > 0 && lastPosition >= firstPosition ? lastPosition - firstPosition + 1 : 0;

/** Time until the next attempt, in words; `now` is in milliseconds. */
export function countdown(time: string | undefined, now: number): string {
  if (time === undefined) return '';
  const seconds = Math.ceil((Date.parse(time) - now) / 1_000);
  if (Number.isNaN(seconds)) return '';
  if (seconds <= 0) return 'now';
  if (seconds < 60) return `in ${seconds} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `in ${minutes} min ${seconds % 60} s`;
  return `in ${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

/** One webhook's host, with all that waits for it. */
export interface ReceiverSummary {
  readonly receiver: string;
  readonly dead: number;
  readonly waiting: number;
  readonly events: number;
  /** The most attempts of one configuration. */
  readonly attempts: number;
  /** The next attempt of the waiting ones. */
  readonly next?: string;
  /** Why the latest known attempt failed. */
  readonly reason?: string;
}

/** Deliveries by receiver: those with most dead letters first. */
export function receiversOf(deliveries: readonly DeliveryStatus[]): ReceiverSummary[] {
  const byReceiver = Map.groupBy(deliveries, ({ receiver = '' }) => receiver);
  const summaries = Array.from(byReceiver, ([receiver, list]): ReceiverSummary => {
    const waiting = list.filter(({ state }) => state !== 'dead');
    const next = waiting.flatMap(({ time }) => time ?? []).toSorted()[0];
    const reason = list.find((one) => one.reason)?.reason;
    return {
      receiver,
      dead: list.length - waiting.length,
      waiting: waiting.length,
      events: list.reduce((sum, one) => sum + undelivered(one), 0),
      attempts: Math.max(...list.map(({ attempts = 0 }) => attempts)),
      ...(next !== undefined && { next }),
      ...(reason !== undefined && { reason }),
    };
  });
  return summaries.toSorted(
    (a, b) => b.dead - a.dead || b.waiting - a.waiting || a.receiver.localeCompare(b.receiver, 'en'),
  );
}

/** Which deliveries are shown, from the address. */
export interface DeliveryFilter {
  readonly state?: 'dead' | 'waiting';
  readonly receiver?: string;
  readonly agent?: string;
}

export function deliveryFilterFrom(query: URLSearchParams): DeliveryFilter {
  const state = query.get('state');
  const receiver = query.get('receiver');
  const agent = query.get('agent');
  return {
    ...((state === 'dead' || state === 'waiting') && { state }),
    ...(receiver && { receiver }),
    ...(agent && { agent }),
  };
}

export const shownDeliveries = (
  deliveries: readonly DeliveryStatus[],
  { state, receiver, agent }: DeliveryFilter,
): DeliveryStatus[] =>
  deliveries.filter(
    (one) =>
      (state === undefined || one.state === state) &&
      (receiver === undefined || one.receiver === receiver) &&
      (agent === undefined || one.agent === agent),
  );

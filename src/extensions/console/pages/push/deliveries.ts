import type { DeliveryStatus } from '../../../../gen/admin-v1/types.ts';

/** Returns the key of a delivery in a list: a configuration has one row that waits, and one for each dead letter. */
export const keyOf = ({ taskKey, taskId, configId, state, firstPosition }: DeliveryStatus): string =>
  [taskKey ?? taskId, configId, state, state === 'dead' ? firstPosition : ''].join(' ');

/** Formats positions of undelivered events: `3`, or `3 to 7`. */
export const positions = ({ firstPosition = 0, lastPosition = 0 }: DeliveryStatus): string =>
  lastPosition > firstPosition ? `${firstPosition} to ${lastPosition}` : `${firstPosition}`;

/** Returns the number of undelivered events of a configuration. */
export const undelivered = ({ firstPosition = 0, lastPosition = 0 }: DeliveryStatus): number =>
  firstPosition > 0 && lastPosition >= firstPosition ? lastPosition - firstPosition + 1 : 0;

/** Returns the deliveries to the receiver that a text names. If it names none, those to receivers whose names have it. */
export function ofReceiver(list: readonly DeliveryStatus[], text: string): readonly DeliveryStatus[] {
  const named = list.filter(({ receiver }) => receiver === text && text !== '');
  return named.length > 0 ? named : list.filter(({ receiver = '' }) => receiver.includes(text.toLowerCase()));
}

/** One webhook's host, with all deliveries that wait for it. */
export type ReceiverSummary = ReturnType<typeof receiversOf>[number];

/** Groups deliveries by receiver: those with most dead letters first. */
export function receiversOf(deliveries: readonly DeliveryStatus[]) {
  const byReceiver = Map.groupBy(deliveries, ({ receiver = '' }) => receiver);
  const summaries = Array.from(byReceiver, ([receiver, list]) => {
    const waiting = list.filter(({ state }) => state !== 'dead');
    return {
      receiver,
      dead: list.length - waiting.length,
      waiting: waiting.length,
      events: list.reduce((sum, one) => sum + undelivered(one), 0),
      /** The most attempts of one configuration. */
      attempts: Math.max(...list.map(({ attempts = 0 }) => attempts)),
      /** Time of the next attempt of the waiting ones. */
      next: waiting.flatMap(({ time }) => time ?? []).toSorted()[0],
      /** Reason why the latest known attempt failed. */
      reason: list.find((one) => one.reason)?.reason,
    };
  });
  return summaries.toSorted(
    (a, b) => b.dead - a.dead || b.waiting - a.waiting || a.receiver.localeCompare(b.receiver, 'en'),
  );
}

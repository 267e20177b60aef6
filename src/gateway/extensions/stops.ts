import { OperatorStops } from '../../extensions/admin/stops/stops.ts';
import { openStops } from '../../extensions/admin/stops/store.ts';
import type { StopDeps } from '../compose/extension.ts';

/** Opens what operators have stopped. Rejects as the store does. */
export async function openOperatorStops({ store, logger, meters }: StopDeps) {
  const stops = new OperatorStops({
    ...{ store: await store.extend(openStops), peers: store.peers, logger, meters },
  });
  await stops.read();
  return stops;
}

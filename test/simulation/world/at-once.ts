import type { Scheduled } from './queue.ts';
import { World } from './world.ts';

/** A world without time: what is scheduled happens in the next turn of the event loop. For tests of a part on its own. */
export class WorldAtOnce extends World {
  constructor() {
    super(1, { setImmediate, pendingImmediates: () => 0 });
  }

  override after(_ms: number, fire: () => void): Scheduled {
    const scheduled: Scheduled = { at: 0, order: 0, fire, state: 'waiting', later: undefined };
    setImmediate(() => {
      if (scheduled.state !== 'waiting') return;
      scheduled.state = 'taken';
      fire();
    });
    return scheduled;
  }
}

import { effect } from '@preact/signals';
import { admin } from '../gateway/admin.ts';
import { GatewayError } from '../gateway/error.ts';
import { poll } from '../gateway/hooks.ts';
import { setCount } from '../shell/counts.ts';
import { credential, refusal } from '../shell/session.ts';
import { waitingStates } from './filters.ts';

/** Milliseconds between two looks. */
const pause = 10_000;

/** Tasks that are counted: the number says little beyond. */
const most = 100;

/** Keeps the number of tasks that wait for a client in the navigation, for callers who may know it. */
export function countInbox(): void {
  effect(() => {
    // Another caller may see what this one may not.
    void credential.value;
    if (refusal.value !== undefined) return setCount('inbox', 0);
    let isRefused = false;
    return poll(async (signal) => {
      if (isRefused) return;
      const request = { states: [...waitingStates], pageSize: most };
      await admin.call('FindTasks', request, { signal, needed: false }).then(
        ({ tasks = [] }) => setCount('inbox', tasks.length),
        (error: unknown) => {
          isRefused = error instanceof GatewayError && !error.temporary;
        },
      );
    }, pause);
  });
}

import { A2AError } from '../../src/client/index.ts';
import { isTerminal } from '../../src/core/model/lifecycle.ts';
import type { Callee, Clients } from './clients.ts';
import type { Ledger } from './ledger.ts';
import { timeouts } from './sender.ts';

/** Cancels a task, and notes that it was said to be canceled; not where it has ended meanwhile. */
export async function untilCanceled(
  { clients, ledger }: { readonly clients: Clients; readonly ledger: Ledger },
  callee: Callee,
  id: string,
  marker: string,
): Promise<void> {
  try {
    await clients.call(callee, timeouts.ending, async (client, signal) => {
      try {
        await client.cancelTask({ id }, { signal, idempotencyKey: `cancel-${marker}` });
      } catch (thrown) {
        // Its gateway has died meanwhile, and so has the task; or its agent has not said yet what it works on.
        if (A2AError.from(thrown).kind !== 'taskNotCancelable') throw thrown;
        const { status } = await client.getTask({ id }, { signal });
        if (isTerminal(status.state)) return;
        throw new A2AError('unavailable', 'it cannot be canceled yet', { cause: thrown });
      }
      ledger.canceled.push({ taskId: id });
    });
  } catch (thrown) {
    ledger.refused.push({ what: `cancel ${id} (${marker})`, error: A2AError.from(thrown) });
  }
}

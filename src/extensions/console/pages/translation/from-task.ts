import { signal } from '@preact/signals';
import { ownDialect } from '../../../../core/model/call.ts';
import { admin } from '../../gateway/admin.ts';
import { onCallerLeft } from '../../shell/session.ts';
import { visibleJson } from '../../ui/visible.ts';
import { nothing, show } from './state.ts';

/** A task of the gateway, or one of its events. */
export interface FromTask {
  readonly key: string;
  /** Absent for the whole task. */
  readonly position?: number;
  /** Position of the last event in the log. */
  readonly last: number;
}

export const fromTask = signal<FromTask | undefined>(undefined);

/**
 * Reads a task, or an event of its log, and translates it.
 *
 * @throws GatewayError; TypeError where there is no such event
 */
export async function read(key: string, position: number | undefined, signal: AbortSignal): Promise<void> {
  if (position === undefined) {
    const { task, summary } = await admin.call('InspectTask', { key }, { signal });
    fromTask.value = { key, last: summary.lastPosition ?? 0 };
    if (!task) throw new TypeError('The task is too large for one answer. Choose one of its events.');
    show(visibleJson(task), { ...nothing, from: ownDialect, type: 'task' });
    return;
  }
  const { events = [], lastPosition = 0 } = await admin.call(
    'ListTaskEvents',
    { key, after: position - 1, pageSize: 1 },
    { signal },
  );
  fromTask.value = { key, position, last: lastPosition };
  const [event] = events;
  if (event?.position !== position) throw new TypeError(`The task has no event at position ${position}.`);
  show(visibleJson(event.event), { ...nothing, from: ownDialect, type: 'event' });
}

onCallerLeft(() => {
  fromTask.value = undefined;
  show('', nothing);
});

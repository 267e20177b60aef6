import './translation.css';
import { signal, useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import { useEffect } from 'preact/hooks';
import { ownDialect } from '../../../../../core/model/call.ts';
import { admin } from '../../../gateway/admin.ts';
import { hrefOf, route } from '../../../shell/router.ts';
import { onCallerLeft } from '../../../shell/session.ts';
import { Text } from '../../../ui/index.ts';
import { visibleJson } from '../../../ui/visible.ts';
import { Bench } from '../frame.tsx';
import { examples } from './examples.ts';
import { busy, nothing, show } from './state.ts';
import { Actions, Translation } from './translation.tsx';

/** A task of the gateway, or one of its events. */
interface FromTask {
  readonly key: string;
  /** Absent for the whole task. */
  readonly position?: number;
  /** Position of the last event in the log. */
  readonly last: number;
}

const fromTask = signal<FromTask | undefined>(undefined);

/**
 * Reads a task, or an event of its log, and translates it.
 *
 * @throws GatewayError; TypeError where there is no such event
 */
async function read(key: string, position: number | undefined, signal: AbortSignal): Promise<void> {
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

/** A frame, an event or a task in every generation side by side, and what each of them loses. */
export function Translate(): JSX.Element {
  const error = useSignal<unknown>(undefined);
  const { query } = route.value;
  const key = query.get('task') ?? '';
  const position = Number(query.get('position')) || undefined;
  const load = (): (() => void) => {
    const controller = new AbortController();
    error.value = undefined;
    if (key === '') fromTask.value = undefined;
    else {
      read(key, position, controller.signal).catch((thrown: unknown) => {
        if (!controller.signal.aborted) error.value = thrown;
      });
    }
    return () => controller.abort();
  };
  useEffect(load, [key, position]);
  return (
    <Bench busy={busy.value} error={error.value} onRetry={load} actions={<Actions examples={examples} />}>
      {fromTask.value && <TaskBar from={fromTask.value} />}
      <Translation />
    </Bench>
  );
}

/** Which part of a task is shown, with the way to the events before and after. */
function TaskBar({ from }: { readonly from: FromTask }): JSX.Element {
  const { key, position, last } = from;
  const at = (next: number | undefined): string =>
    hrefOf('bench', [], { view: 'translation', task: key, ...(next !== undefined && { position: String(next) }) });
  const before = (position ?? 1) - 1;
  const after = (position ?? 0) + 1;
  return (
    <nav class="bench-bar" aria-label="Task">
      <span class="bench-id">
        Task{' '}
        <a href={hrefOf('tasks', [key])}>
          <Text value={key} mono />
        </a>
      </span>
      <span class="row">
        <a href={at(undefined)} aria-current={position === undefined ? 'page' : undefined}>
          The whole task
        </a>
        {before >= 1 && <a href={at(before)}>Event {before}</a>}
        {position !== undefined && (
          <span>
            Event {position} of {last}
          </span>
        )}
        {after <= last && <a href={at(after)}>Event {after}</a>}
      </span>
    </nav>
  );
}

import './translation.css';
import type { JSX } from 'preact';
import { ownDialect } from '../../../../../core/model/call.ts';
import { admin } from '../../../gateway/admin.ts';
import { useRead } from '../../../gateway/hooks.ts';
import { hrefOf, route } from '../../../shell/router.ts';
import { onCallerLeft } from '../../../shell/session.ts';
import { Button, Failure, Text } from '../../../ui/index.ts';
import { visibleJson } from '../../../ui/visible.ts';
import { Bench } from '../frame.tsx';
import { busy, nothing, show } from './state.ts';
import { Translation } from './translation.tsx';

/** A task of the gateway, or one of its events. */
interface FromTask {
  readonly key: string;
  /** Position of the event. Absent for the whole task. */
  readonly position: number | undefined;
  /** Position of the last event in the log. */
  readonly last: number;
  /** Reason why there is nothing to translate. */
  readonly missing?: string;
}

/** Reads a task, or an event of its log, and translates it. */
async function read(key: string, position: number | undefined, signal: AbortSignal): Promise<FromTask> {
  if (position === undefined) {
    const { task, summary } = await admin.call('InspectTask', { key }, { signal });
    if (task) show(visibleJson(task), { ...nothing, from: ownDialect, type: 'task' });
    const missing = 'The task is too large for one answer. Choose one of its events.';
    return { key, position, last: summary.lastPosition ?? 0, ...(!task && { missing }) };
  }
  const log = { key, after: position - 1, pageSize: 1 };
  const { events = [], lastPosition: last = 0 } = await admin.call('ListTaskEvents', log, { signal });
  const [event] = events;
  if (event?.position !== position)
    return { key, position, last, missing: `The task has no event at position ${position}.` };
  show(visibleJson(event.event), { ...nothing, from: ownDialect, type: 'event' });
  return { key, position, last };
}

onCallerLeft(() => show('', nothing));

/** A frame, an event or a task in every generation side by side, with the losses of each. */
export function Translate(): JSX.Element {
  const { query } = route.value;
  const key = query.get('task') ?? '';
  const position = Number(query.get('position')) || undefined;
  const from = useRead(async (signal) => (key === '' ? undefined : await read(key, position, signal)), {
    key: JSON.stringify([key, position]),
  });
  return (
    <Bench
      busy={busy.value || from.busy}
      error={from.error}
      onRetry={from.reload}
      actions={<Button onClick={() => show('', nothing)}>Clear</Button>}
    >
      {from.value && <TaskBar from={from.value} />}
      <Failure error={from.value?.missing} />
      <Translation />
    </Bench>
  );
}

/** The part of a task that is shown, with links to the events before and after. */
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

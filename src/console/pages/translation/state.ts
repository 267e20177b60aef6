import { batch, computed, signal } from '@preact/signals';
import { ownDialect } from '../../../core/model/call.ts';
import type { TranslateOptions, Translation } from '../../../dialects/translate/index.ts';
import { admin } from '../../gateway/admin.ts';
import { onCallerLeft } from '../../shell/session.ts';
import { visibleJson } from '../../wire/visible-json.ts';
import { markedFrame } from './marks.ts';
import { createTranslator } from './translator.ts';

/** The state of the Translation page. It outlives the page, so that one can look at another page and come back. */

/** What the user states about the frame; '' is left to detection. */
export interface Stated {
  readonly from: string;
  readonly type: string;
  readonly method: string;
  readonly binding: string;
}

export const nothing: Stated = { from: '', type: '', method: '', binding: '' };

/** Milliseconds without a key before a frame is translated. */
const pause = 250;

export const text = signal('');
export const stated = signal<Stated>(nothing);
export const translation = signal<Translation | undefined>(undefined);
/** Why there is no translation. */
export const problem = signal('');
export const busy = signal(false);
export const lists = signal<{
  readonly dialects: readonly string[];
  readonly types: readonly string[];
  readonly methods: readonly string[];
}>({ dialects: [], types: [], methods: [] });

/** The frame in A2A 1.x, with what dialects lose at its place. */
export const marked = computed(() =>
  translation.value ? markedFrame(translation.value.v1, translation.value.translated) : undefined,
);

const translator = createTranslator();
let timer: ReturnType<typeof setTimeout> | undefined;

async function translate(): Promise<void> {
  const frame = text.peek();
  if (frame.trim() === '') {
    batch(() => {
      translation.value = undefined;
      problem.value = '';
      busy.value = false;
    });
    return;
  }
  busy.value = true;
  const options = Object.fromEntries(Object.entries(stated.peek()).filter(([, value]) => value !== ''));
  const answer = await translator.translate(frame, options as TranslateOptions);
  if (!answer) return;
  batch(() => {
    busy.value = false;
    problem.value = answer.error ?? '';
    translation.value = answer.translation;
    const { dialects = lists.peek().dialects, types = lists.peek().types, methods = [] } = answer;
    lists.value = { dialects, types, methods };
  });
}

/** Shows a frame, and translates it after a moment without another. */
export function show(frame: string, about: Stated = stated.peek()): void {
  batch(() => {
    text.value = frame;
    stated.value = about;
  });
  clearTimeout(timer);
  timer = setTimeout(() => void translate(), pause);
}

/** Ends the worker. The next frame starts another. */
export function close(): void {
  clearTimeout(timer);
  translator.close();
  busy.value = false;
}

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

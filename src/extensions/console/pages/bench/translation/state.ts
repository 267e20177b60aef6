import { batch, computed, signal } from '@preact/signals';
import type { TranslateOptions, Translation } from '../../../../../dialects/translate/index.ts';
import { marksOf } from './marks.ts';
import type { Answer, Lists, Question } from './worker.ts';

/** The state of a translation. It outlives the page, so that users can visit another page and come back. */

/** Statements about the frame before the user makes any; '' is left to detection. */
export const nothing = { from: '', type: '', method: '', binding: '' };

type Stated = Readonly<typeof nothing>;

/** Milliseconds after the last key before a frame is translated. */
const pause = 250;

/** Milliseconds after which a translation is aborted. */
const deadline = 10_000;

export const text = signal('');
export const stated = signal<Stated>(nothing);
export const translation = signal<Translation | undefined>(undefined);
/** Reason why there is no translation. */
export const problem = signal('');
export const busy = signal(false);
export const lists = signal<Lists>({ dialects: [], types: [], methods: [] });

/** Losses of the frame in all dialects. */
export const marks = computed(() => translation.value && marksOf(translation.value.v1, translation.value.translated));

let worker: Worker | undefined;
let timer: ReturnType<typeof setTimeout> | undefined;

function translate(): void {
  const frame = text.peek();
  if (frame.trim() === '') {
    done({});
    return;
  }
  busy.value = true;
  const fail = (why: string): void => {
    close();
    done({ error: `the translation ${why}` });
  };
  timer = setTimeout(() => fail(`took longer than ${deadline / 1000} seconds`), deadline);
  const current = worker ?? new Worker(new URL('./worker.ts', import.meta.url), { type: 'module' });
  worker = current;
  current.onmessage = ({ data }: MessageEvent<Answer>) => {
    if (worker === current) done(data);
  };
  current.onerror = ({ message }) => fail(`failed: ${message || 'the worker did not load'}`);
  const options = Object.fromEntries(Object.entries(stated.peek()).filter(([, value]) => value !== ''));
  current.postMessage({ text: frame, options: options as TranslateOptions } satisfies Question);
}

function done({ translation: translated, lists: found = lists.peek(), error = '' }: Partial<Answer>): void {
  clearTimeout(timer);
  batch(() => {
    busy.value = false;
    problem.value = error;
    translation.value = translated;
    lists.value = found;
  });
}

/** Shows a frame, and translates it after a moment without another. */
export function show(frame: string, about: Stated = stated.peek()): void {
  batch(() => {
    text.value = frame;
    stated.value = about;
  });
  // An answer to another frame is useless, and may never arrive.
  if (busy.peek()) close();
  clearTimeout(timer);
  timer = setTimeout(translate, pause);
}

/** Ends the worker. The next frame starts another. */
export function close(): void {
  clearTimeout(timer);
  worker?.terminate();
  worker = undefined;
  busy.value = false;
}

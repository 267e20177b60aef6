import { batch, computed, signal } from '@preact/signals';
import type { TranslateOptions, Translation } from '../../../../../dialects/translate/index.ts';
import { marksOf } from './marks.ts';
import type { Answer, Question } from './worker.ts';

/** Milliseconds after which a translation is given up. */
const deadline = 10_000;

/** Translates frames in a worker, the latest one only. */
function createTranslator() {
  let worker: Worker | undefined;
  let latest = 0;
  /** Ends the call before: its answer is of no use, and it may never end. */
  let abandon = (): void => {};

  function stop(): void {
    worker?.terminate();
    worker = undefined;
  }

  return {
    /** The answer; undefined where another frame came meanwhile. */
    translate(text: string, options: TranslateOptions): Promise<Answer | undefined> {
      abandon();
      latest++;
      const id = latest;
      const { promise, resolve } = Promise.withResolvers<Answer | undefined>();
      const current = worker ?? new Worker(new URL('./worker.ts', import.meta.url), { type: 'module' });
      worker = current;
      const timer = setTimeout(() => {
        stop();
        settle({ id, error: `the translation took longer than ${deadline / 1000} seconds` });
      }, deadline);
      const settle = (answer: Answer | undefined): void => {
        clearTimeout(timer);
        abandon = () => {};
        resolve(answer);
      };
      abandon = () => {
        stop();
        settle(undefined);
      };
      current.onmessage = ({ data }: MessageEvent<Answer>) => {
        if (data.id === id) settle(data);
      };
      current.onerror = (event) => {
        stop();
        settle({ id, error: `the translation failed: ${event.message || 'the worker did not load'}` });
      };
      current.postMessage({ id, text, options } satisfies Question);
      return promise;
    },
    close: stop,
  };
}

/** The state of a translation. It outlives the page, so that one can look at another page and come back. */

/** What a user states about the frame before anything is stated; '' is left to detection. */
export const nothing = { from: '', type: '', method: '', binding: '' };

type Stated = Readonly<typeof nothing>;

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

/** What dialects lose of the frame. */
export const marks = computed(() => translation.value && marksOf(translation.value.v1, translation.value.translated));

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

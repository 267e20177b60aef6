import { type ReadonlySignal, useSignal } from '@preact/signals';
import { useEffect, useMemo, useRef } from 'preact/hooks';
import { reconnections } from '../shell/connection.ts';
import { noteRead } from '../shell/facts.ts';

/**
 * Reads at once and then repeatedly, `ms` milliseconds after the last read ended; with `changes` only when their number
 * changes, and no earlier. Pauses while the tab is hidden. Returns a function that stops it. `read` must not reject.
 */
function poll(read: (signal: AbortSignal) => Promise<void>, ms: number, changes?: ReadonlySignal<number>): () => void {
  const stopped = new AbortController();
  let timer: ReturnType<typeof setTimeout> | undefined;
  let reading = false;
  /** The number of changes when the last read began. */
  let seen: number | undefined;
  const look = (): void => {
    if (timer === undefined && (!changes || changes.peek() !== seen)) void run();
  };
  const run = async (): Promise<void> => {
    clearTimeout(timer);
    timer = undefined;
    if (reading || stopped.signal.aborted || document.hidden) return;
    reading = true;
    seen = changes?.peek();
    await read(stopped.signal);
    reading = false;
    if (stopped.signal.aborted) return;
    timer = setTimeout(() => {
      timer = undefined;
      look();
    }, ms);
  };
  document.addEventListener('visibilitychange', () => void run(), { signal: stopped.signal });
  void run();
  const ignore = changes?.subscribe(look);
  return () => {
    stopped.abort();
    ignore?.();
    clearTimeout(timer);
  };
}

/** Data that a component reads from the gateway. */
export interface Read<T> {
  /** The latest value; undefined before the first one. */
  readonly value: T | undefined;
  /** Error of the latest read. An older value may be present too. */
  readonly error: unknown;
  /** Whether the first read of this key, or one requested by `reload`, is in progress. */
  readonly busy: boolean;
  readonly reload: () => void;
}

interface ReadOptions {
  /** Milliseconds between the end of a read and the next one. Default: only when the key changes, and by `reload`. */
  readonly every?: number;
  /** With `every`: read again only when this number changes. */
  readonly changes?: ReadonlySignal<number>;
  /** Key of the data. When it changes, the data are read anew, without the old value. */
  readonly key?: string;
}

/** Reads from the gateway as long as the component is shown, and again when a lost connection comes back. */
export function useRead<T>(read: (signal: AbortSignal) => Promise<T>, options: ReadOptions = {}): Read<T> {
  const { every, changes, key = '' } = options;
  const unread: Omit<Read<T>, 'reload'> = { value: undefined, error: undefined, busy: true };
  const state = useSignal({ key, ...unread });
  const latest = useRef(read);
  latest.current = read;
  const wanted = useSignal(0);
  const back = reconnections.value;
  const reloads = wanted.value;
  useEffect(() => {
    const before = state.peek();
    state.value = before.key === key ? { ...before, busy: true } : { key, ...unread };
    const once = async (signal: AbortSignal): Promise<void> => {
      try {
        const value = await latest.current(signal);
        if (signal.aborted) return;
        noteRead();
        state.value = { key, value, error: undefined, busy: false };
      } catch (error) {
        if (!signal.aborted) state.value = { ...state.peek(), error, busy: false };
      }
    };
    if (every !== undefined) return poll(once, every, changes);
    const stopped = new AbortController();
    void once(stopped.signal);
    return () => stopped.abort();
  }, [key, every, changes, back, reloads]);
  const { key: of, ...current } = state.value;
  const reload: () => void = () => (wanted.value += 1);
  return { ...(of === key ? current : unread), reload };
}

/**
 * Runs actions that a user starts, one at a time: a run ends the one before, and the last one ends with the component.
 */
export function useAction<Args extends readonly unknown[] = []>(
  act: (signal: AbortSignal, ...args: Args) => Promise<void>,
) {
  /** `error`: the failure of the latest run. */
  const state = useSignal<{ readonly busy: boolean; readonly error: unknown }>({ busy: false, error: undefined });
  const running = useRef<AbortController>(undefined);
  useEffect(() => () => running.current?.abort(), []);
  const run = async (...args: Args): Promise<void> => {
    running.current?.abort();
    const current = new AbortController();
    running.current = current;
    state.value = { busy: true, error: undefined };
    const error = await act(current.signal, ...args).catch((thrown: unknown) => thrown);
    if (!current.signal.aborted) state.value = { busy: false, error };
  };
  return {
    ...state.value,
    run: (...args: Args) => void run(...args),
    /** Ends a run, and clears its error. */
    stop() {
      running.current?.abort();
      state.value = { busy: false, error: undefined };
    },
  };
}

/** An object that reads from the gateway while it is open. */
interface Openable {
  open(): Promise<void>;
  close(): void;
  /** Whether it is being read. */
  readonly busy: ReadonlySignal<boolean>;
  /** Reason why it could not be read. */
  readonly error: ReadonlySignal<unknown>;
}

/**
 * Opens an object for as long as the component is shown. Another one replaces it when the key changes, by `reload`, and
 * when a lost connection comes back after it could not be read.
 */
export function useOpened<T extends Openable>(make: () => T, key: string) {
  const attempt = useSignal(0);
  const id = `${attempt.value} ${key}`;
  const opened = useMemo(make, [id]);
  useEffect(() => {
    void opened.open();
    return () => opened.close();
  }, [opened]);
  const back = reconnections.value;
  const seen = useRef(back);
  useEffect(() => {
    if (seen.current !== back && opened.error.peek() !== undefined) attempt.value += 1;
    seen.current = back;
  }, [back, opened, attempt]);
  const reload: () => void = () => (attempt.value += 1);
  return [opened, { busy: opened.busy.value, error: opened.error.value, reload }] as const;
}

/** Milliseconds after which a hidden tab closes its connections. */
const defaultDelay = 15_000;

/**
 * Runs `work` while the tab is visible, and again when it is shown after a while: a hidden tab keeps no stream open,
 * since browsers have six connections for all tabs of an origin over HTTP/1.1. `work` ends when its signal aborts.
 */
export function whileVisible(
  work: (signal: AbortSignal) => Promise<void>,
  signal: AbortSignal,
  hiddenDelay = defaultDelay,
): void {
  let running: AbortController | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const look = (): void => {
    clearTimeout(timer);
    if (document.hidden) {
      timer = setTimeout(() => {
        running?.abort();
        running = undefined;
      }, hiddenDelay);
    } else if (!running) {
      running = new AbortController();
      void work(running.signal);
    }
  };
  document.addEventListener('visibilitychange', look, { signal });
  signal.addEventListener('abort', () => {
    clearTimeout(timer);
    running?.abort();
  });
  look();
}

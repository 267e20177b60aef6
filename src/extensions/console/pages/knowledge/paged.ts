import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { reconnections } from '../../shell/connection.ts';
import type { Page } from './statements.ts';

/** A list that is read page by page, as far as it was asked for. */
export type Paged<Item> = ReturnType<typeof usePaged<Item>>;

interface State<Item> {
  readonly key: string;
  readonly items: readonly Item[];
  readonly total: Page<Item>['total'];
  readonly busy: boolean;
  readonly error: unknown;
  /** Where the next page begins; undefined after the last one. */
  readonly after?: string | undefined;
}

/**
 * Reads a list while the component is shown.
 *
 * @param key the list begins anew when it changes
 */
export function usePaged<Item>(
  key: string,
  readPage: (after: string | undefined, signal: AbortSignal) => Promise<Page<Item>>,
) {
  const empty: State<Item> = { key, items: [], total: undefined, busy: true, error: undefined };
  const state = useSignal<State<Item>>(empty);
  const latest = useRef(readPage);
  latest.current = readPage;
  const reading = useRef<AbortController | undefined>(undefined);
  const wanted = useSignal(0);
  const [asked, back] = [wanted.value, reconnections.value];

  const read = async (after: string | undefined): Promise<void> => {
    reading.current?.abort();
    const controller = new AbortController();
    reading.current = controller;
    const before = after === undefined ? empty : state.peek();
    state.value = { ...before, busy: true, error: undefined };
    try {
      const page = await latest.current(after, controller.signal);
      if (controller.signal.aborted) return;
      const items = [...before.items, ...page.items];
      state.value = { key, items, total: page.total ?? before.total, after: page.after, busy: false, error: undefined };
    } catch (error) {
      if (!controller.signal.aborted) state.value = { ...before, busy: false, error };
    }
  };

  useEffect(() => {
    void read(undefined);
    return () => reading.current?.abort();
  }, [key, asked, back]);

  const current = state.value.key === key ? state.value : empty;
  return {
    ...{ items: current.items, total: current.total, busy: current.busy, error: current.error },
    readMore() {
      const { after, busy, key: itsKey } = state.peek();
      if (itsKey === key && after !== undefined && !busy) void read(after);
    },
    reload() {
      wanted.value += 1;
    },
  };
}

import { signal } from '@preact/signals';

/** Numbers beside pages in the navigation, by the page's id: what waits there. Absent or 0: none. */
export const counts = signal<Readonly<Record<string, number>>>({});

/** Sets the number beside a page. */
export function setCount(page: string, count: number): void {
  if (counts.peek()[page] !== count) counts.value = { ...counts.peek(), [page]: count };
}

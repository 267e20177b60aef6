import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';

/** Rows above and below those in sight. */
const overscan = 8;

/** Returns the rows to render if a list of `count` rows is scrolled to `top`; `to` is excluded. */
const windowOf = (top: number, height: number, rowHeight: number, count: number) => {
  const first = Math.floor(top / rowHeight) - overscan;
  const last = Math.ceil((top + height) / rowHeight) + overscan;
  return { from: Math.max(0, Math.min(first, count)), to: Math.max(0, Math.min(last, count)) };
};

/** Tracks the visible rows of a scrolling box. */
export function useWindow(count: number, rowHeight: number) {
  const box = useRef<HTMLDivElement>(null);
  const seen = useSignal({ top: 0, height: 600 });
  useLayoutEffect(() => {
    const element = box.current;
    if (!element) return;
    const read = (): void => {
      const { scrollTop: top, clientHeight: height } = element;
      const before = seen.peek();
      if (before.top !== top || before.height !== height) seen.value = { top, height };
    };
    read();
    const observer = new ResizeObserver(read);
    observer.observe(element);
    element.addEventListener('scroll', read, { passive: true });
    return () => {
      observer.disconnect();
      element.removeEventListener('scroll', read);
    };
    // A table without rows has no box.
  }, [seen, count > 0]);
  const { top, height } = seen.value;
  return { box, ...windowOf(top, height, rowHeight, count) };
}

interface VirtualListProps {
  /** Accessible name of the list. */
  readonly label: string;
  readonly count: number;
  /** Pixels of every row. */
  readonly rowHeight: number;
  readonly row: (index: number) => JSX.Element;
  /** Identity of a row. Default: its index. */
  readonly rowKey?: (index: number) => string | number;
  /** CSS length after which the list scrolls. Default `70vh`. */
  readonly maxHeight?: string;
}

/** A list of any length of rows of one height. Only visible rows are in the page. */
export function VirtualList(props: VirtualListProps): JSX.Element {
  const { label, count, rowHeight, row, rowKey = (index) => index, maxHeight = '70vh' } = props;
  const { box, from, to } = useWindow(count, rowHeight);
  const rows: JSX.Element[] = [];
  for (let index = from; index < to; index++) {
    rows.push(
      <li
        key={rowKey(index)}
        aria-setsize={count}
        aria-posinset={index + 1}
        style={{ height: `${rowHeight}px`, transform: `translateY(${index * rowHeight}px)` }}
      >
        {row(index)}
      </li>,
    );
  }
  return (
    <div class="virtual" ref={box} style={{ maxHeight }} tabIndex={0} role="region" aria-label={label}>
      <ul class="virtual-rows" style={{ height: `${count * rowHeight}px` }}>
        {rows}
      </ul>
    </div>
  );
}

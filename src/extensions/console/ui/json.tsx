import { useSignal } from '@preact/signals';
import type { ComponentChildren, JSX } from 'preact';
import { useMemo } from 'preact/hooks';
import { Dialog } from './dialog.tsx';
import { bytes, count } from './format.ts';
import { Icon } from './icon.tsx';
import { type JsonRow, jsonRows, membersAtOnce, openTo } from './json-rows.ts';
import { Copy, Text } from './text.tsx';
import { VirtualList } from './virtual-list.tsx';

export interface JsonProps {
  /** Names the value. */
  readonly label: string;
  readonly value: unknown;
  /** Levels that are open at first. Default 3. */
  readonly depth?: number;
  /** CSS length after which it scrolls. Default `60vh`. */
  readonly maxHeight?: string;
  /** Rows that are open at first, at the most. Default 200. */
  readonly mostOpen?: number;
  /** What stands at the end of the row of a path. */
  readonly beside?: (path: string) => ComponentChildren;
}

/** Characters of a text in its row. */
const lineLength = 160;
const rowHeight = 24;

/** What is open of one value. */
interface View {
  readonly of: unknown;
  readonly open: ReadonlySet<string>;
  readonly limits: ReadonlyMap<string, number>;
}

/** A JSON value as a tree to open and close. Any size: only the rows in sight are in the page, and long texts open apart. */
export function Json({ label, value, depth = 3, maxHeight = '60vh', mostOpen, beside }: JsonProps): JSX.Element {
  const first = useMemo<View>(
    () => ({ of: value, open: openTo(value, depth, mostOpen), limits: new Map() }),
    [value, depth, mostOpen],
  );
  const changed = useSignal<View | undefined>(undefined);
  const shown = useSignal<{ name: string; text: string } | undefined>(undefined);
  const current = changed.value && changed.value.of === value ? changed.value : first;
  const rows = useMemo(() => jsonRows(value, current.open, current.limits), [value, current]);
  const toggle = ({ path, left }: JsonRow): void => {
    const open = new Set(current.open);
    const limits = new Map(current.limits);
    if (left !== undefined) limits.set(path, (limits.get(path) ?? membersAtOnce) + 10 * membersAtOnce);
    else if (!open.delete(path)) open.add(path);
    changed.value = { of: value, open, limits };
  };
  return (
    <div class="json">
      <VirtualList
        label={label}
        count={rows.length}
        rowHeight={rowHeight}
        maxHeight={maxHeight}
        rowKey={(index) => `${rows[index]?.path}${rows[index]?.left ?? ''}`}
        row={(index) => {
          const row = rows[index] as JsonRow;
          const left = `${Math.min(row.depth, 24) * 16 + (row.size === undefined ? 18 : 0)}px`;
          return (
            <div class="json-row" style={{ paddingInlineStart: left }}>
              <Row row={row} toggle={toggle} show={(name, text) => (shown.value = { name, text })} />
              {beside?.(row.path)}
            </div>
          );
        }}
      />
      <Copy value={() => JSON.stringify(value, undefined, 2)} label={`Copy ${label}`} />
      <Dialog
        title={shown.value?.name ?? ''}
        open={shown.value !== undefined}
        onClose={() => (shown.value = undefined)}
        wide
      >
        <div class="long-text">
          <Text value={shown.value?.text ?? ''} max={20_000} multiline mono />
        </div>
      </Dialog>
    </div>
  );
}

interface RowProps {
  readonly row: JsonRow;
  readonly toggle: (row: JsonRow) => void;
  readonly show: (name: string, text: string) => void;
}

function Row({ row, toggle, show }: RowProps): JSX.Element {
  const { name, value, size, open, left } = row;
  if (left !== undefined) {
    return (
      <button type="button" class="link" onClick={() => toggle(row)}>
        … {count(left)} more
      </button>
    );
  }
  const key = name !== undefined && (
    <span>
      <Text value={name} max={80} class="json-name" />
      {': '}
    </span>
  );
  if (size === undefined) {
    return (
      <>
        {key}
        <Leaf value={value} show={(text) => show(name ?? 'Text', text)} />
      </>
    );
  }
  const [begin, end] = Array.isArray(value) ? '[]' : '{}';
  return (
    <button type="button" class="json-toggle" aria-expanded={open} onClick={() => toggle(row)} disabled={size === 0}>
      <Icon name={open ? 'down' : 'right'} size={14} />
      {key}
      <span class="muted">
        {begin}
        {size > 0 && (open ? count(size) : `… ${count(size)}`)}
        {end}
      </span>
    </button>
  );
}

function Leaf({ value, show }: { readonly value: unknown; readonly show: (text: string) => void }): JSX.Element {
  if (typeof value !== 'string')
    return <span class={`json-${value === null ? 'null' : typeof value}`}>{String(value)}</span>;
  const isLong = value.length > lineLength || value.includes('\n');
  return (
    <span class="json-string">
      "<Text value={value.slice(0, lineLength).replaceAll('\n', '⏎')} max={lineLength} />
      {isLong ? '…' : '"'}
      {isLong && (
        <button type="button" class="link" onClick={() => show(value)}>
          show all ({bytes(value.length)})
        </button>
      )}
    </span>
  );
}

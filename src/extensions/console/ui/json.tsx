import { useSignal } from '@preact/signals';
import type { ComponentChildren, JSX } from 'preact';
import { useMemo } from 'preact/hooks';
import { count } from './format.ts';
import { isBranch, levelsOf, pathTo, sizeOf } from './json-value.ts';
import { Copy, Text } from './text.tsx';

interface JsonProps {
  /** Accessible name of the value. */
  readonly label: string;
  readonly value: unknown;
  /** Levels that are open at first. Default 3. */
  readonly depth?: number;
  /** CSS length after which it scrolls. Default `60vh`. */
  readonly maxHeight?: string;
  /** Largest number of rows that are open at first. Default 200. */
  readonly mostOpen?: number;
  /** Returns content for the end of a path's row. */
  readonly beside?: ((path: string) => ComponentChildren) | undefined;
}

/** Characters of a text that are shown at once. */
const textLength = 160;
/** Members of an object or an array that are shown at once. */
const membersAtOnce = 500;

/**
 * A JSON value of any size as a tree to open and close: members are shown when they are opened, and some hundreds at
 * once.
 */
export function Json({ label, value, depth = 3, maxHeight = '60vh', mostOpen = 200, beside }: JsonProps): JSX.Element {
  const levels = useMemo(() => levelsOf(value, depth, mostOpen), [value, depth, mostOpen]);
  return (
    <div class="json">
      <div class="json-tree" style={{ maxHeight }} tabIndex={0} role="region" aria-label={label}>
        <Member {...{ value, levels, beside }} most={mostOpen} path="" />
      </div>
      <Copy value={() => JSON.stringify(value, undefined, 2)} label={`Copy ${label}`} />
    </div>
  );
}

interface MemberProps extends Pick<JsonProps, 'value' | 'beside'> {
  /** Name of the member. Undefined for the root. */
  readonly name?: string;
  readonly path: string;
  /** Levels to open at first, from this one down. */
  readonly levels: number;
  /** Largest number of members that are opened at first. The root is open in any case. */
  readonly most: number;
}

function Member({ name, value, path, levels, most, beside }: MemberProps): JSX.Element {
  const size = isBranch(value) ? sizeOf(value) : 0;
  const open = useSignal(path === '' || (levels > 0 && size <= most));
  const shown = useSignal(membersAtOnce);
  const [begin, end] = Array.isArray(value) ? '[]' : '{}';
  const key = name !== undefined && (
    <>
      <Text value={name} max={80} class="json-name" />
      {': '}
    </>
  );
  if (!isBranch(value) || size === 0) {
    return (
      <div class="json-row">
        {key}
        {isBranch(value) ? <span class="muted">{`${begin}${end}`}</span> : <Leaf value={value} />}
        {beside?.(path)}
      </div>
    );
  }
  return (
    <details open={open.value} onToggle={(event) => (open.value = event.currentTarget.open)}>
      <summary class="json-row">
        {key}
        <span class="muted">{`${begin}${open.value ? '' : '… '}${count(size)}${end}`}</span>
        {beside?.(path)}
      </summary>
      {open.value && (
        <div class="json-members">
          {firstOf(value, shown.value).map(([member, one]) => (
            <Member
              key={member}
              {...{ name: member, value: one, path: pathTo(path, member), levels: levels - 1, most, beside }}
            />
          ))}
          {size > shown.value && (
            <button type="button" class="link" onClick={() => (shown.value += membersAtOnce)}>
              … {count(size - shown.value)} more
            </button>
          )}
        </div>
      )}
    </details>
  );
}

/** The first members of an object or an array, with their names. */
const firstOf = (value: object, most: number): [name: string, value: unknown][] =>
  Object.entries(Array.isArray(value) ? value.slice(0, most) : value).slice(0, most);

/** A text, a number or another value without members. */
const Leaf = ({ value }: { readonly value: unknown }): JSX.Element =>
  typeof value === 'string' ? (
    <span class="json-string">
      "<Text value={value} max={textLength} multiline />"
    </span>
  ) : (
    <span class="json-literal">{String(value)}</span>
  );

import type { JSX } from 'preact';
import { count } from '../../ui/format.ts';
import { Badge, Empty, Text, VirtualList } from '../../ui/index.ts';
import type { Mark, MarkedFrame, MarkedLine } from './marks.ts';

/** The frame in A2A 1.x, with the dialects that lose a field beside the field. */
export function Marked({ frame, selected }: { readonly frame: MarkedFrame; readonly selected: string }): JSX.Element {
  const { lines, hidden, elsewhere } = frame;
  if (lines.length === 0) return <Empty title="An error has no fields to mark" />;
  const wanted = (marks: readonly Mark[]): readonly Mark[] =>
    selected === '' ? marks : marks.filter(({ dialect }) => dialect === selected);
  return (
    <>
      <VirtualList
        label="Frame in A2A 1.x, with losses at their place"
        count={lines.length}
        rowHeight={22}
        maxHeight="430px"
        row={(index) => {
          const line = lines[index] as MarkedLine;
          return <Line line={line} marks={wanted(line.marks)} />;
        }}
      />
      {hidden > 0 && <p class="muted">{count(hidden)} more lines are not shown.</p>}
      {elsewhere.some(({ marks }) => wanted(marks).length > 0) && (
        <ul class="tr-elsewhere">
          {elsewhere.map(({ path, marks }) => {
            const shown = wanted(marks);
            if (shown.length === 0) return null;
            return (
              <li key={path}>
                <code>{path}</code> <Marks marks={shown} />
              </li>
            );
          })}
        </ul>
      )}
    </>
  );
}

function Line({ line, marks }: { readonly line: MarkedLine; readonly marks: readonly Mark[] }): JSX.Element {
  const { depth, name, value, kind } = line;
  const missed = marks.some((mark) => mark.missed);
  return (
    <div class={`tr-line${marks.length > 0 ? (missed ? ' tr-lost' : ' tr-unmissed') : ''}`}>
      <span class="tr-json" style={{ paddingInlineStart: `${Math.min(depth, 24) * 14}px` }}>
        {name !== undefined && (
          <>
            <span class="json-name">
              "<Text value={name} max={80} />"
            </span>
            {': '}
          </>
        )}
        <span class={kind === 'string' ? 'json-string' : kind === 'literal' ? 'json-number' : 'muted'}>
          <Text value={value} max={160} />
        </span>
      </span>
      {marks.length > 0 && <Marks marks={marks} />}
    </div>
  );
}

/** Dialects, with the reason as a title and for screen readers. */
function Marks({ marks }: { readonly marks: readonly Mark[] }): JSX.Element {
  return (
    <span class="tr-marks">
      {marks.map(({ dialect, reason, missed }) => (
        <span key={dialect} class={missed ? 'tr-mark tr-mark-missed' : 'tr-mark'} title={reason}>
          {dialect}
          <span class="visually-hidden">
            {missed ? ' loses it: ' : ' does not say it: '}
            {reason}
          </span>
        </span>
      ))}
    </span>
  );
}

/** What the marks mean. */
export const Legend = (): JSX.Element => (
  <p class="row muted">
    <span class="tr-mark tr-mark-missed">dialect</span> loses the field
    <span class="tr-mark">dialect</span> does not have it, and its readers do not miss it
  </p>
);

/** How much a dialect loses, in a word. */
export function Verdict({ missed, unmissed }: { readonly missed: number; readonly unmissed: number }): JSX.Element {
  if (missed > 0)
    return <Badge state={`${count(missed)} ${missed === 1 ? 'field' : 'fields'} lost`} severity="warning" />;
  return <Badge state={unmissed > 0 ? 'Nothing missed' : 'Nothing lost'} severity="ok" />;
}

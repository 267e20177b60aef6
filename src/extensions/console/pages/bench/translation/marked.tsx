import type { JSX } from 'preact';
import { count } from '../../../ui/format.ts';
import { Badge, Empty, Json } from '../../../ui/index.ts';
import type { Mark, Marks } from './marks.ts';

const ofTranslation = 'Frame in A2A 1.x, with losses at their place';

interface MarkedProps {
  readonly label?: string;
  /** The frame in A2A 1.x; undefined for an error. */
  readonly frame: unknown;
  readonly marks: Marks;
  /** The dialect whose losses are marked; '' for all. */
  readonly selected: string;
}

/** The frame in A2A 1.x, with the dialects that lose a field beside the field. */
export function Marked({
  label = ofTranslation,
  frame,
  marks: { byPath, elsewhere },
  selected,
}: MarkedProps): JSX.Element {
  if (frame === undefined) return <Empty title="An error has no fields to mark" />;
  const wanted = (marks: readonly Mark[] = []): readonly Mark[] =>
    selected === '' ? marks : marks.filter(({ dialect }) => dialect === selected);
  return (
    <>
      <Json
        label={label}
        value={frame}
        depth={64}
        mostOpen={20_000}
        maxHeight="430px"
        beside={(path) => <MarkList marks={wanted(byPath.get(path))} />}
      />
      {elsewhere.some(({ marks }) => wanted(marks).length > 0) && (
        <ul class="tr-elsewhere">
          {elsewhere.map(({ path, marks }) => {
            const shown = wanted(marks);
            if (shown.length === 0) return null;
            return (
              <li key={path}>
                <code>{path}</code> <MarkList marks={shown} />
              </li>
            );
          })}
        </ul>
      )}
    </>
  );
}

/** Dialects, with the reason as a title and for screen readers. */
function MarkList({ marks }: { readonly marks: readonly Mark[] }): JSX.Element | null {
  if (marks.length === 0) return null;
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

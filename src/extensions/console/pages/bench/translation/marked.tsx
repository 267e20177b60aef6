import type { JSX } from 'preact';
import { Empty, Json } from '../../../ui/index.ts';
import type { Mark, Marks } from './marks.ts';

interface MarkedProps {
  readonly label?: string;
  /** The frame in A2A 1.x; undefined for an error. */
  readonly frame: unknown;
  readonly marks: Marks;
  /** The dialect whose losses alone are marked. */
  readonly selected?: string;
}

/** The frame in A2A 1.x, with the dialects that lose a field next to the field. */
export function Marked(props: MarkedProps): JSX.Element {
  const { label = 'Frame in A2A 1.x, with losses at their place', frame, marks, selected = '' } = props;
  if (frame === undefined) return <Empty title="An error has no fields to mark" />;
  const wanted = (list: readonly Mark[] = []): readonly Mark[] =>
    list.filter(({ dialect }) => selected === '' || dialect === selected);
  const elsewhere = [...marks.elsewhere].flatMap(([path, list]) => {
    const shown = wanted(list);
    return shown.length > 0 ? [[path, shown] as const] : [];
  });
  return (
    <>
      <Json
        label={label}
        value={frame}
        depth={64}
        mostOpen={20_000}
        maxHeight="430px"
        beside={(path) => <MarkList marks={wanted(marks.byPath.get(path))} />}
      />
      {elsewhere.length > 0 && (
        <ul class="tr-elsewhere">
          {elsewhere.map(([path, shown]) => (
            <li key={path}>
              <code>{path}</code> <MarkList marks={shown} />
            </li>
          ))}
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

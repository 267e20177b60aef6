import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import { useLayoutEffect, useMemo, useRef } from 'preact/hooks';
import type { Part } from '../../../core/model/a2a.ts';
import { createJoiner } from '../../../core/model/text.ts';
import { count } from '../ui/format.ts';
import { Button, Bytes, Json, Text } from '../ui/index.ts';

/** Texts of parts that follow each other are joined up to this many characters, and the rest is one part more. */
const maxJoined = 200_000;

/** Parts that are shown at once: texts are joined before. */
const maxShown = 40;

/** Characters of a long text that are shown: its last ones. */
const tailLength = 4_000;

/** Characters of a text that needs no box of its own. */
const shortLength = 500;

type Piece = { readonly text: string } | { readonly part: Part };

/** Parts with the texts between them joined, as chunks of one text arrive in many parts. */
function joined(parts: readonly Part[]): Piece[] {
  const pieces: Piece[] = [];
  let text = '';
  let joiner = createJoiner((part) => part.text ?? '');
  const flush = (): void => {
    if (text !== '') pieces.push({ text });
    text = '';
    joiner = createJoiner((part) => part.text ?? '');
  };
  for (const part of parts) {
    if (typeof part.text === 'string') {
      text += joiner.push(part);
      if (text.length > maxJoined) flush();
    } else {
      flush();
      pieces.push({ part });
    }
  }
  flush();
  return pieces;
}

/**
 * What the parts of a message or an artifact say. Nothing in them becomes markup, a link or an image.
 *
 * @param grows whether more may be appended: the end of a long text is shown then
 */
export function Parts({
  parts,
  label,
  grows = false,
}: {
  readonly parts: readonly Part[] | undefined;
  readonly label: string;
  readonly grows?: boolean;
}): JSX.Element {
  const pieces = useMemo(() => joined(parts ?? []), [parts]);
  if (pieces.length === 0) return <p class="muted">No content</p>;
  return (
    <div class="parts">
      {pieces.slice(0, maxShown).map((piece, at) => {
        if ('part' in piece) return <OtherPart key={at} part={piece.part} label={label} />;
        const isLong = grows && piece.text.length > shortLength;
        return isLong ? (
          <Tail key={at} text={piece.text} label={label} />
        ) : (
          <Text key={at} value={piece.text} multiline />
        );
      })}
      {pieces.length > maxShown && <p class="muted">{pieces.length - maxShown} more parts: see JSON.</p>}
    </div>
  );
}

/** The end of a long text, in a box that stays scrolled to its end while the text grows. */
function Tail({ text, label }: { readonly text: string; readonly label: string }): JSX.Element {
  const box = useRef<HTMLDivElement>(null);
  const isAtEnd = useRef(true);
  const whole = useSignal(false);
  const isCut = text.length > tailLength && !whole.value;
  // A character of two code units is not split.
  const start = text.length - tailLength;
  const shown = isCut ? text.slice(/[\udc00-\udfff]/.test(text.charAt(start)) ? start + 1 : start) : text;
  useLayoutEffect(() => {
    if (box.current && isAtEnd.current) box.current.scrollTop = box.current.scrollHeight;
  }, [shown]);
  return (
    <div
      ref={box}
      class="tail"
      tabIndex={0}
      role="region"
      aria-label={`Text of ${label}`}
      onScroll={({ currentTarget: { scrollTop, scrollHeight, clientHeight } }) => {
        isAtEnd.current = scrollTop + clientHeight > scrollHeight - 8;
      }}
    >
      {isCut && (
        <Button kind="quiet" onClick={() => (whole.value = true)}>
          Show from the start ({count(text.length)} characters)
        </Button>
      )}
      <Text value={shown} max={2 * tailLength} multiline />
    </div>
  );
}

/** A part that is no text: data, or a file, which is named and not loaded. */
function OtherPart({ part, label }: { readonly part: Part; readonly label: string }): JSX.Element {
  const { data, raw, url, filename, mediaType } = part;
  if (raw === undefined && url === undefined) {
    return <Json label={`Data of ${label}`} value={data} depth={2} maxHeight="16rem" />;
  }
  return (
    <div class="file-part">
      <span class="file-name">
        <Text value={filename || 'File without a name'} max={200} />
      </span>
      {mediaType && <Text value={mediaType} max={100} mono />}
      {raw !== undefined && <Bytes value={Math.floor((raw.length * 3) / 4)} />}
      {url !== undefined && <Text value={url} max={300} mono />}
    </div>
  );
}

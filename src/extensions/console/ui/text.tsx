import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import { count } from './format.ts';
import { startOf, visiblePieces } from './visible.ts';

export interface TextProps {
  /** What an agent, a caller or a file says. */
  readonly value: string;
  /** Characters that are shown at once. Default 2,000. */
  readonly max?: number;
  /** Keeps line breaks. Default: one run of text. */
  readonly multiline?: boolean;
  /** For ids, paths and frames. */
  readonly mono?: boolean;
  readonly class?: string;
}

/** How many more characters "Show more" shows. */
const step = 20_000;

/**
 * A text that others wrote, made harmless and visible: characters that act without being seen are shown by their numbers, and
 * long texts are cut.
 */
export function Text({
  value,
  max = 2_000,
  multiline = false,
  mono = false,
  class: more = '',
}: TextProps): JSX.Element {
  const further = useSignal(0);
  const shown = startOf(value, max + further.value);
  return (
    <bdi class={`text${multiline ? ' text-lines' : ''}${mono ? ' mono' : ''} ${more}`}>
      {visiblePieces(shown).map((piece) =>
        'text' in piece ? (
          piece.text
        ) : (
          <span class="code-point" title={piece.name}>
            {piece.mark}
          </span>
        ),
      )}
      {shown.length < value.length && (
        <button type="button" class="link" onClick={() => (further.value += step)}>
          … show more ({count(value.length)} characters)
        </button>
      )}
    </bdi>
  );
}

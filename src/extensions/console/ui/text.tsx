import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import { count } from './format.ts';
import { Icon } from './icon.tsx';
import { startOf, visiblePieces } from './visible.ts';

interface TextProps {
  /** Text of an agent, a caller or a file. */
  readonly value: string;
  /** Characters that are shown at once. Default 2,000. */
  readonly max?: number;
  /** Whether line breaks are kept. Default: one run of text. */
  readonly multiline?: boolean;
  /** Whether the font is monospaced, for ids, paths and frames. */
  readonly mono?: boolean;
  readonly class?: string;
}

/** Number of further characters that "Show more" shows. */
const step = 20_000;

/**
 * A text from outside, made harmless and visible: characters that act without being seen are shown by their numbers,
 * and long texts are cut.
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
          <span class="code-point" title="This character is not shown, since it would act on the text.">
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

/** A button that copies a text. */
export function Copy(props: {
  readonly value: string | (() => string);
  readonly label?: string;
  /** Whether the label is shown. */
  readonly text?: boolean;
}): JSX.Element {
  const { value, label = 'Copy', text = false } = props;
  const state = useSignal<'ready' | 'copied' | 'failed'>('ready');
  const copy = async (): Promise<void> => {
    try {
      await navigator.clipboard.writeText(typeof value === 'string' ? value : value());
      state.value = 'copied';
    } catch {
      state.value = 'failed';
    }
    setTimeout(() => {
      state.value = 'ready';
    }, 1_500);
  };
  const title = { ready: label, copied: 'Copied', failed: 'The browser did not allow to copy' }[state.value];
  return (
    <button
      type="button"
      class={text ? 'button' : 'button button-quiet button-icon'}
      onClick={copy}
      aria-label={title}
      title={title}
    >
      <Icon name={state.value === 'copied' ? 'check' : state.value === 'failed' ? 'close' : 'copy'} />
      {text && title}
    </button>
  );
}

interface CodeProps {
  readonly value: string;
  /** Name of the text, such as "curl command". */
  readonly label: string;
  /** Characters that are shown at once. Default 20,000. */
  readonly max?: number;
}

/** Text of a fixed width, with a button that copies it. */
export function Code({ value, label, max = 20_000 }: CodeProps): JSX.Element {
  return (
    <div class="code">
      <pre tabIndex={0} role="region" aria-label={label}>
        <Text value={value} max={max} multiline mono />
      </pre>
      <Copy key={value} value={value} label={`Copy ${label}`} />
    </div>
  );
}

import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import { Icon } from './icon.tsx';
import { Text } from './text.tsx';

/** A button that copies a text. */
export function Copy({
  value,
  label = 'Copy',
}: {
  readonly value: string | (() => string);
  readonly label?: string;
}): JSX.Element {
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
  const said = { ready: label, copied: 'Copied', failed: 'The browser did not allow to copy' }[state.value];
  return (
    <button type="button" class="button button-quiet button-icon" onClick={copy} aria-label={said} title={said}>
      <Icon name={state.value === 'copied' ? 'check' : state.value === 'failed' ? 'close' : 'copy'} />
    </button>
  );
}

export interface CodeProps {
  readonly value: string;
  /** Names the text, such as "curl command". */
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

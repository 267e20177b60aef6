import type { JSX } from 'preact';
import { Code, Tabs } from '../ui/index.ts';
import type { Snippet } from './commands.ts';

interface SnippetTabsProps {
  readonly list: readonly Snippet[];
  readonly selected: string | undefined;
  readonly onSelect: (id: string) => void;
}

/** Ways to make a call, one of them in full. */
export function SnippetTabs({ list, selected, onSelect }: SnippetTabsProps): JSX.Element {
  const snippet = list.find(({ id }) => id === selected) ?? list[0];
  return (
    <Tabs
      label="Clients"
      tabs={list.map(({ id, title }) => ({ id, title }))}
      selected={snippet?.id ?? ''}
      onSelect={onSelect}
    >
      {snippet && (
        <div class="stack snippet">
          {snippet.install && <Code value={snippet.install} label="installation" />}
          {snippet.code !== undefined && <Code value={snippet.code} label={`${snippet.title} code`} />}
          {snippet.note && <p class="muted">{snippet.note}</p>}
        </div>
      )}
    </Tabs>
  );
}

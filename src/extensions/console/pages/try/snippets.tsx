import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import { useMemo } from 'preact/hooks';
import { messageOf } from '../../gateway/error.ts';
import { gatewayUrl } from '../../gateway/fetch.ts';
import { settings } from '../../gateway/settings.ts';
import { credential } from '../../shell/session.ts';
import { Code, Dialog, Notice, Tabs, Text } from '../../ui/index.ts';
import { parseHttp } from '../../wire/http-text.ts';
import { snippetsOf } from '../../wire/programs.ts';
import type { Snippet } from '../../wire/snippet.ts';
import { agent, callable, edited, frame, request } from './state.ts';

/** The call as commands and code. */
export function Snippets({ onClose }: { readonly onClose: () => void }): JSX.Element {
  const selected = useSignal<Snippet['id']>('curl');
  const text = edited.value ?? frame.value.text;
  const { list, error } = useMemo(() => {
    try {
      return { list: all(text), error: undefined };
    } catch (thrown) {
      return { list: [], error: thrown };
    }
  }, [text]);
  const snippet = list.find(({ id }) => id === selected.value);
  return (
    <Dialog title="Copy as" open onClose={onClose} wide>
      {error !== undefined && (
        <Notice severity="error">
          <Text value={messageOf(error)} />
        </Notice>
      )}
      {snippet && (
        <Tabs
          label="Ways to make this call"
          tabs={list.map(({ id, title }) => ({ id, title }))}
          selected={selected.value}
          onSelect={(id) => (selected.value = id as Snippet['id'])}
        >
          <div class="stack try-snippet">
            {snippet.code !== undefined && <Code label={snippet.title} value={snippet.code} />}
            {snippet.note !== undefined && <p class="muted">{snippet.note}</p>}
            {edited.value !== undefined && snippet.id !== 'curl' && (
              <p class="muted">This is the request of the form. Only curl sends the edited frame.</p>
            )}
          </div>
        </Tabs>
      )}
    </Dialog>
  );
}

function all(text: string): Snippet[] {
  const current = credential.peek();
  return snippetsOf({
    callable: callable.peek(),
    http: parseHttp(text),
    request: request.peek(),
    agent: agent.peek(),
    gateway: gatewayUrl('/').replace(/\/$/, ''),
    ...(current && { credential: { kind: current.kind, header: settings.peek()?.apiKeyHeader ?? 'X-Api-Key' } }),
  });
}

import { useSignal } from '@preact/signals';
import type { JSX, TargetedDragEvent } from 'preact';
import { useMemo } from 'preact/hooks';
import type { Message } from '../../../../../core/model/a2a.ts';
import { gatewayUrl } from '../../../gateway/raw.ts';
import { settings } from '../../../gateway/settings.ts';
import { setQuery } from '../../../shell/router.ts';
import { caller } from '../../../shell/session.ts';
import { Button, Code, Copy, Dialog, Failure, Field, Notice, Tabs } from '../../../ui/index.ts';
import { partOf, setAt, summaryOf, withFiles } from '../../../wire/form.ts';
import { type Snippet, snippetsOf } from '../../../wire/programs.ts';
import { parseHttp } from '../../../wire/request.ts';
import { nothing, show } from '../translation/state.ts';
import { Paths } from './answer.tsx';
import { MessageForm } from './form.tsx';
import { agent, callable, edit, edited, frame, request, send, setRequest } from './state.ts';

/** The request: a form, and the frame that is sent beside it. */
export function RequestPane(): JSX.Element {
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return;
    event.preventDefault();
    send();
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: keys of the inputs in it
    <div class="try-request" onKeyDown={onKeyDown}>
      <RequestForm />
      <FrameEditor />
    </div>
  );
}

function RequestForm(): JSX.Element {
  const over = useSignal(false);
  const reading = useSignal('');
  const { operation, fields } = callable.value;
  const value = request.value;
  const takesFiles = 'message' in value;
  const add = async (files: readonly File[]): Promise<void> => {
    reading.value = `Reading ${files.length === 1 ? files[0]?.name : `${files.length} files`}…`;
    try {
      const parts = await Promise.all(files.map(partOf));
      const current = request.peek();
      const message = current.message as Message;
      setRequest({ ...current, message: { ...message, parts: withFiles(message.parts, parts) } });
      reading.value = '';
    } catch {
      reading.value = 'The file could not be read.';
    }
  };
  const onDrop = (event: TargetedDragEvent<HTMLElement>): void => {
    const files = [...(event.dataTransfer?.files ?? [])];
    over.value = false;
    if (files.length === 0) return;
    event.preventDefault();
    void add(files);
  };
  const drop = takesFiles && {
    onDragOver: (event: TargetedDragEvent<HTMLElement>): void => {
      if (!event.dataTransfer?.types.includes('Files')) return;
      event.preventDefault();
      over.value = true;
    },
    onDragLeave: (): void => {
      over.value = false;
    },
    onDrop,
  };
  return (
    <section class="try-form" aria-label="Request as a form" data-over={over.value} {...drop}>
      <div class="section-title">
        <h2>Request</h2>
        <span class="muted">{summaryOf(operation.name)}</span>
      </div>
      <MessageForm
        tables={fields}
        type={operation.request}
        value={value}
        path={[]}
        whole
        onChange={(path, next) => setRequest(setAt(request.peek(), path, next))}
      />
      {takesFiles && (
        <div class="try-drop">
          <label class="button">
            Attach files
            <input
              class="visually-hidden"
              type="file"
              multiple
              onChange={(event) => {
                const files = [...(event.currentTarget.files ?? [])];
                event.currentTarget.value = '';
                if (files.length > 0) void add(files);
              }}
            />
          </label>
          <span class="muted" role="status">
            {reading.value || 'or drop them here'}
          </span>
        </div>
      )}
      <div class="try-send">
        <Button kind="primary" onClick={send}>
          Send
        </Button>
      </div>
    </section>
  );
}

function FrameEditor(): JSX.Element {
  const { text, error, written } = frame.value;
  const { protocol, binding } = callable.value;
  const changed = edited.value;
  const shown = changed ?? text;
  return (
    <section class="try-editor" aria-label="Request as a frame">
      <div class="section-title">
        <h2>Frame</h2>
        <span class="muted">
          {changed === undefined ? 'sent as it stands' : 'edited: it no longer follows the form'}
        </span>
        <span class="try-editor-actions">
          {changed !== undefined && <Button onClick={() => edit(undefined)}>Make it from the form</Button>}
          {'card' in protocol && (binding === 'jsonrpc' || binding === 'rest') && (
            <Button kind="quiet" onClick={() => translate(shown)}>
              In other dialects
            </Button>
          )}
          <Copy value={shown} label="Copy the frame" />
        </span>
      </div>
      {changed === undefined && error ? (
        <Failure error={error} />
      ) : (
        <Field
          label="Request: first line, headers, an empty line, and the body"
          hideLabel
          mono
          rows={18}
          value={shown}
          onInput={edit}
        />
      )}
      {changed === undefined && written && written.losses.length > 0 && (
        <Notice severity="warning">
          {protocol.name} has no place for <Paths paths={written.losses} />
        </Notice>
      )}
    </section>
  );
}

/** Shows a frame in every dialect: its body, which over HTTP+JSON needs the path to be understood. */
function translate(frame: string): void {
  const { protocol, binding } = callable.peek();
  let text = frame;
  try {
    const { verb, path, body } = parseHttp(frame);
    text = binding === 'rest' ? `${verb} ${path.replace(/^\/[^/]+\/as\/[^/]+/, '')}\n\n${body}` : body;
  } catch {
    // The view says what is wrong with the text as it stands.
  }
  show(text, { ...nothing, from: protocol.name });
  setQuery({ view: 'translation', task: undefined, position: undefined });
}

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
      <Failure error={error} />
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
  const current = caller.peek()?.session;
  return snippetsOf({
    callable: callable.peek(),
    http: parseHttp(text),
    request: request.peek(),
    agent: agent.peek(),
    gateway: gatewayUrl('/').replace(/\/$/, ''),
    ...(current && { credential: { kind: current.kind, header: settings.peek()?.apiKeyHeader ?? 'X-Api-Key' } }),
  });
}

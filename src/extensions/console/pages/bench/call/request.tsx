import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import { useMemo } from 'preact/hooks';
import type { Message } from '../../../../../core/model/a2a.ts';
import { A2AError } from '../../../../../core/model/errors.ts';
import { useAction } from '../../../gateway/hooks.ts';
import { gatewayUrl } from '../../../gateway/raw.ts';
import { settings } from '../../../gateway/settings.ts';
import { setQuery } from '../../../shell/router.ts';
import { caller } from '../../../shell/session.ts';
import { Button, Copy, Dialog, Failure, Field, Notice } from '../../../ui/index.ts';
import type { Snippet } from '../../../wire/commands.ts';
import { partOf, summaryOf } from '../../../wire/form.ts';
import { parseHttp } from '../../../wire/request.ts';
import { SnippetTabs } from '../../../wire/snippet-tabs.tsx';
import { snippetsOf } from '../../../wire/snippets.ts';
import { nothing, show } from '../translation/state.ts';
import { Paths } from './answer.tsx';
import { MessageForm } from './form.tsx';
import { agent, callable, edit, edited, enter, frame, request, send } from './state.ts';

/** The request: a form, and next to it the frame that is sent. */
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
  const { operation, fields } = callable.value;
  const { message } = request.value as { message?: Message };
  const attach = useAction(async (_, files: readonly File[]) => {
    const added = await Promise.all(files.map(partOf));
    // An empty text, with which a new message begins, is replaced by them.
    const others = (request.peek().message as Message).parts.filter(({ text }) => text !== '');
    enter(['message', 'parts'], [...others, ...added]);
  });
  return (
    <section class="try-form" aria-label="Request as a form">
      <div class="section-title">
        <h2>Request</h2>
        <span class="muted">{summaryOf(operation.name)}</span>
      </div>
      <MessageForm tables={fields} type={operation.request} value={request.value} path={[]} whole onChange={enter} />
      {message && (
        <label class="try-files" aria-busy={attach.busy}>
          <span class="try-label">Attach files</span>
          <input
            class="input"
            type="file"
            multiple
            onChange={({ currentTarget }) => {
              attach.run([...(currentTarget.files ?? [])]);
              currentTarget.value = '';
            }}
          />
        </label>
      )}
      <Failure error={attach.error} about="The file could not be read" />
      <div class="try-send">
        <Button kind="primary" onClick={send}>
          Send
        </Button>
      </div>
    </section>
  );
}

function FrameEditor(): JSX.Element {
  const { text, error, losses } = frame.value;
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
      {changed === undefined && losses.length > 0 && (
        <Notice severity="warning">
          {protocol.name} has no place for <Paths paths={losses} />
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
    // The view shows the fault in the current text.
  }
  show(text, { ...nothing, from: protocol.name });
  setQuery({ view: 'translation', task: undefined, position: undefined });
}

/** The call as commands. */
export function Snippets({ onClose }: { readonly onClose: () => void }): JSX.Element {
  const selected = useSignal('curl');
  const text = edited.value ?? frame.value.text;
  const list = useMemo(() => {
    try {
      return snippetsFor(text);
    } catch (thrown) {
      return A2AError.from(thrown);
    }
  }, [text]);
  return (
    <Dialog title="Copy as" open onClose={onClose} wide>
      {list instanceof A2AError ? (
        <Failure error={list} />
      ) : (
        <SnippetTabs list={list} selected={selected.value} onSelect={(id) => (selected.value = id)} />
      )}
      {edited.value !== undefined && (
        <p class="muted">Only curl sends the edited frame. The others send the request of the form.</p>
      )}
    </Dialog>
  );
}

function snippetsFor(text: string): readonly Snippet[] {
  const { kind } = caller.peek()?.session ?? {};
  const credential = kind === 'bearer' ? 'Authorization' : (settings.peek()?.apiKeyHeader ?? 'X-Api-Key');
  return snippetsOf({
    callable: callable.peek(),
    http: parseHttp(text),
    request: request.peek(),
    agent: agent.peek(),
    gateway: gatewayUrl('/').replace(/\/$/, ''),
    ...(kind && { credential }),
  });
}

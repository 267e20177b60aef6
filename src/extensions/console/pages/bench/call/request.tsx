import type { JSX } from 'preact';
import type { Message } from '../../../../../core/model/a2a.ts';
import { useAction } from '../../../gateway/hooks.ts';
import { gatewayUrl } from '../../../gateway/raw.ts';
import { settings } from '../../../gateway/settings.ts';
import { setQuery } from '../../../shell/router.ts';
import { caller } from '../../../shell/session.ts';
import { Button, Copy, Failure, Field, Notice } from '../../../ui/index.ts';
import { partOf, summaryOf } from '../../../wire/form.ts';
import { commandOf, parseHttp } from '../../../wire/request.ts';
import { nothing, show } from '../translation/state.ts';
import { Paths } from './answer.tsx';
import { RequestForm } from './form.tsx';
import { callable, edit, edited, enter, form, frame, send } from './state.ts';

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
      <RequestSection />
      <FrameEditor />
    </div>
  );
}

function RequestSection(): JSX.Element {
  const { operation } = callable.value;
  const { message } = form.value as { message?: Message };
  const attach = useAction(async (_, files: readonly File[]) => {
    const added = await Promise.all(files.map(partOf));
    // An empty text, with which a new message begins, is replaced by them.
    const { message } = form.peek() as { message: Message };
    const others = message.parts.filter(({ text }) => text !== '');
    enter({ ...form.peek(), message: { ...message, parts: [...others, ...added] } });
  });
  return (
    <section class="try-form" aria-label="Request as a form">
      <div class="section-title">
        <h2>Request</h2>
        <span class="muted">{summaryOf(operation.name)}</span>
      </div>
      <RequestForm />
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

/** A button that copies the frame as a command of curl. Absent while the frame is no request. */
export function CopyCommand(): JSX.Element | null {
  const { text } = frame.value;
  const { kind } = caller.value?.session ?? {};
  const credential = kind === 'bearer' ? 'Authorization' : (settings.value?.apiKeyHeader ?? 'X-Api-Key');
  try {
    const command = commandOf(parseHttp(edited.value ?? text), {
      gateway: gatewayUrl('/').replace(/\/$/, ''),
      streaming: callable.value.streaming,
      ...(kind && { credential }),
    });
    return <Copy value={command} label="Copy as curl" text />;
  } catch {
    return null;
  }
}

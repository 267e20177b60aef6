import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import type { Artifact, Message, Task } from '../../../core/model/a2a.ts';
import { count } from '../ui/format.ts';
import { Badge, Button, Empty, Json, Text, Time } from '../ui/index.ts';
import { visibleLine } from '../ui/visible.ts';
import { Parts } from './parts.tsx';

/** Messages and artifacts that are shown at first. */
const shownAtFirst = 20;

/** What a task holds: its state with the message, its artifacts, and the messages so far. */
export function TaskContent({ task }: { readonly task: Task }): JSX.Element {
  const { status, artifacts = [], history = [], metadata } = task;
  return (
    <div class="task-content" tabIndex={0} role="region" aria-label="Content of the task">
      <section aria-label="Status" class="task-status">
        <p>
          <Badge state={status.state} /> {status.timestamp && <Time at={status.timestamp} />}
        </p>
        {status.message && <MessageView message={status.message} />}
      </section>
      {artifacts.length > 0 && (
        <Some
          title="Artifacts"
          items={artifacts}
          view={(artifact) => <ArtifactView key={artifact.artifactId} artifact={artifact} />}
        />
      )}
      {history.length > 0 && (
        <Some
          title="Messages"
          items={history}
          fromEnd
          view={(message, at) => <MessageView key={`${at} ${message.messageId}`} message={message} />}
        />
      )}
      {artifacts.length + history.length === 0 && !status.message && <Empty title="The task has no content yet" />}
      {metadata && Object.keys(metadata).length > 0 && (
        <section aria-label="Metadata">
          <h2>Metadata</h2>
          <Json label="Metadata of the task" value={metadata} depth={2} maxHeight="16rem" />
        </section>
      )}
    </div>
  );
}

/** A list that is shown in steps, because a task may have any number of messages and artifacts. */
function Some<T>({
  title,
  items,
  view,
  fromEnd = false,
}: {
  readonly title: string;
  readonly items: readonly T[];
  readonly view: (item: T, at: number) => JSX.Element;
  /** The last ones are shown first in time, and earlier ones on demand. */
  readonly fromEnd?: boolean;
}): JSX.Element {
  const shown = useSignal(shownAtFirst);
  const hidden = Math.max(0, items.length - shown.value);
  const start = fromEnd ? hidden : 0;
  const more = hidden > 0 && (
    <Button kind="quiet" onClick={() => (shown.value += 5 * shownAtFirst)}>
      Show {fromEnd ? 'earlier' : 'more'} ({count(hidden)})
    </Button>
  );
  return (
    <section aria-label={title}>
      <h2>
        {title} <span class="count">{count(items.length)}</span>
      </h2>
      {fromEnd && more}
      {items.slice(start, start + shown.value).map((item, at) => view(item, start + at))}
      {!fromEnd && more}
    </section>
  );
}

/** One message, with who said it. */
export function MessageView({ message }: { readonly message: Message }): JSX.Element {
  const isClient = message.role === 'ROLE_USER';
  return (
    <div class={isClient ? 'message message-client' : 'message'}>
      <div class="message-head">{isClient ? 'Client' : 'Agent'}</div>
      <Parts parts={message.parts} label={`message ${visibleLine(message.messageId, 60)}`} />
    </div>
  );
}

function ArtifactView({ artifact }: { readonly artifact: Artifact }): JSX.Element {
  const { artifactId, name, description, parts } = artifact;
  return (
    <div class="artifact">
      <div class="artifact-head">
        <Text value={name || artifactId} max={200} />
        <span class="muted">{parts.length === 1 ? '1 part' : `${count(parts.length)} parts`}</span>
      </div>
      {description && (
        <p class="muted">
          <Text value={description} max={500} />
        </p>
      )}
      <Parts parts={parts} label={`artifact ${visibleLine(artifactId, 60)}`} grows />
    </div>
  );
}

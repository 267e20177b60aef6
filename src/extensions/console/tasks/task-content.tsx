import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import { useLayoutEffect, useMemo, useRef } from 'preact/hooks';
import type { Artifact, Message, Part, Task } from '../../../core/model/a2a.ts';
import { isObject } from '../../../core/model/json.ts';
import { createJoiner } from '../../../core/model/text.ts';
import { count } from '../ui/format.ts';
import { Badge, Button, Empty, Json, Text, Time } from '../ui/index.ts';
import { visibleLine } from '../ui/visible.ts';
import { download, FilePart } from './file-part.tsx';
import { safeName } from './made-file.ts';

/** Largest number of characters of joined texts; further ones begin another part. */
const maxJoined = 200_000;

/** Number of parts that are shown at once; texts are joined before. */
const maxShown = 40;

/** Characters of a long text that are shown: its last ones. */
const tailLength = 4_000;

/** Characters of a text that needs no box of its own. */
const shortLength = 500;

type Piece = { text: string } | { readonly part: Part };

/** Joins the texts between other parts, as chunks of one text arrive in many parts. */
function joined(parts: readonly Part[]): Piece[] {
  const pieces: Piece[] = [];
  let joiner = createJoiner(({ text = '' }) => text);
  for (const part of parts) {
    const last = pieces.at(-1);
    if (part.text === undefined) pieces.push({ part });
    else if (last && 'text' in last && last.text.length <= maxJoined) last.text += joiner.push(part);
    else {
      joiner = createJoiner(({ text = '' }) => text);
      pieces.push({ text: joiner.push(part) });
    }
  }
  return pieces.filter((piece) => !('text' in piece) || piece.text !== '');
}

/**
 * The content of a message's or an artifact's parts. None of it becomes markup, a link or an image.
 *
 * @param grows whether more may be appended: the end of a long text is shown then
 */
function Parts(props: {
  readonly parts: readonly Part[] | undefined;
  readonly label: string;
  readonly grows?: boolean;
}): JSX.Element {
  const { parts = [], label, grows = false } = props;
  const pieces = useMemo(() => joined(parts), [parts]);
  if (pieces.length === 0) return <p class="muted">No content</p>;
  return (
    <div class="parts">
      {pieces.slice(0, maxShown).map((piece, at) => {
        if ('text' in piece) {
          const isLong = grows && piece.text.length > shortLength;
          return isLong ? (
            <Tail key={at} text={piece.text} label={label} />
          ) : (
            <Text key={at} value={piece.text} multiline />
          );
        }
        const { raw, url, data } = piece.part;
        if (raw !== undefined || url !== undefined) return <FilePart key={at} part={piece.part} label={label} />;
        return <Json key={at} label={`Data of ${label}`} value={data} depth={2} maxHeight="16rem" />;
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

/** Number of messages and artifacts that are shown at first. */
const shownAtFirst = 20;

/** Content of a task: its state with the message, its artifacts, and the messages so far. */
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
      <Some
        title="Artifacts"
        items={artifacts}
        view={(artifact) => <ArtifactView key={artifact.artifactId} artifact={artifact} />}
      />
      <Some
        title="Messages"
        items={history}
        fromEnd
        view={(message, at) => <MessageView key={`${at} ${message.messageId}`} message={message} />}
      />
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
function Some<T>(props: {
  readonly title: string;
  readonly items: readonly T[];
  readonly view: (item: T, at: number) => JSX.Element;
  /** Whether the last ones are shown first, and earlier ones on demand. */
  readonly fromEnd?: boolean;
}): JSX.Element | null {
  const { title, items, view, fromEnd = false } = props;
  const shown = useSignal(shownAtFirst);
  const hidden = Math.max(0, items.length - shown.value);
  const start = fromEnd ? hidden : 0;
  if (items.length === 0) return null;
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

/** The guards that have replaced what a message or artifact says. */
function Replaced({ metadata }: { readonly metadata: Message['metadata'] | undefined }): JSX.Element | null {
  const marks: unknown = metadata?.['a2a-gateway/guards'];
  if (!Array.isArray(marks)) return null;
  return (
    <p class="muted">
      {marks.filter(isObject).map(({ guard, reason }, at) => (
        <Text key={at} value={`Replaced by the guard ${guard}${reason ? `: ${reason}` : ''}`} max={400} multiline />
      ))}
    </p>
  );
}

/** One message, with its sender. */
function MessageView({ message }: { readonly message: Message }): JSX.Element {
  const isClient = message.role === 'ROLE_USER';
  return (
    <div class={isClient ? 'message message-client' : 'message'}>
      <div class="message-head">{isClient ? 'Client' : 'Agent'}</div>
      <Parts parts={message.parts} label={`message ${visibleLine(message.messageId, 60)}`} />
      <Replaced metadata={message.metadata} />
    </div>
  );
}

function ArtifactView({ artifact }: { readonly artifact: Artifact }): JSX.Element {
  const { artifactId, name, description, parts, metadata } = artifact;
  const save = (): void => {
    const pieces = joined(parts);
    const texts = pieces.flatMap((piece) => ('text' in piece ? piece.text : []));
    // More than one text is saved as the agent sent it.
    if (texts.length === pieces.length) download(texts, safeName(parts[0]?.filename || name || artifactId, true));
    else download([JSON.stringify(artifact, undefined, 2)], safeName(`${name || artifactId}.json`, true));
  };
  return (
    <div class="artifact">
      <div class="artifact-head">
        <Text value={name || artifactId} max={200} />
        <span class="row">
          <span class="muted">{parts.length === 1 ? '1 part' : `${count(parts.length)} parts`}</span>
          <Button kind="quiet" label="Download the artifact" onClick={save}>
            Download
          </Button>
        </span>
      </div>
      {description && (
        <p class="muted">
          <Text value={description} max={500} />
        </p>
      )}
      <Parts parts={parts} label={`artifact ${visibleLine(artifactId, 60)}`} grows />
      <Replaced metadata={metadata} />
    </div>
  );
}

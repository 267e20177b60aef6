import type { Artifact, Message, StreamResponse, Task } from '../../src/core/model/a2a.ts';

/**
 * The task after each event of a log, by the rules of A2A: written once more, and not with the gateway's own fold, so that a
 * fault there shows. No task shares with the next what an event changes.
 */
export function* foldings(events: Iterable<StreamResponse>): Generator<Task> {
  let task: Task | undefined;
  for (const event of events) {
    task = after(task, event);
    yield task;
  }
}

function after(task: Task | undefined, { task: whole, statusUpdate, artifactUpdate, message }: StreamResponse): Task {
  if (whole) return { ...withLists(whole, task), ...whole };
  if (!task) throw new Error('a log that does not begin with its task');
  const generation = (statusUpdate ?? artifactUpdate)?.generation;
  const counted = generation === undefined ? task : { ...task, generation };
  if (message) return { ...withoutWords(counted), history: [...historyAfter(counted), message] };
  if (artifactUpdate) return { ...counted, artifacts: artifactsAfter(counted.artifacts ?? [], artifactUpdate) };
  if (!statusUpdate) return counted;
  const { status, metadata } = statusUpdate;
  const history = historyAfter(counted, status.message);
  const next = { ...counted, status, ...((task.history || history.length > 0) && { history }) };
  return metadata ? withMetadata(next, metadata) : next;
}

/** A task that is sent again without its lists keeps the former lists. */
const withLists = ({ history, artifacts }: Task, former: Task | undefined): Pick<Task, 'history' | 'artifacts'> => ({
  ...(!history && former?.history && { history: former.history }),
  ...(!artifacts && former?.artifacts && { artifacts: former.artifacts }),
});

function withoutWords(task: Task): Task {
  const { message: _, ...status } = task.status;
  return { ...task, status };
}

/** The history when another status or message follows: the words of the status that is over come last, once. */
function historyAfter({ status: { message }, history = [] }: Task, next?: Message): Message[] {
  if (!message || message.messageId === next?.messageId) return history;
  const last = history.at(-1);
  const isLast = last?.messageId === message.messageId && JSON.stringify(last.parts) === JSON.stringify(message.parts);
  return isLast ? history : [...history, message];
}

function artifactsAfter(
  artifacts: readonly Artifact[],
  { artifact, append }: { readonly artifact: Artifact; readonly append?: boolean },
): Artifact[] {
  const at = artifacts.findLastIndex(({ artifactId }) => artifactId === artifact.artifactId);
  const known = artifacts[at];
  if (!known) return [...artifacts, artifact];
  return artifacts.with(at, append ? joined(known, artifact) : artifact);
}

function joined(known: Artifact, chunk: Artifact): Artifact {
  const extensions = new Set([...(known.extensions ?? []), ...(chunk.extensions ?? [])]);
  return {
    ...known,
    ...chunk,
    parts: [...known.parts, ...chunk.parts],
    ...((known.metadata ?? chunk.metadata) && { metadata: { ...known.metadata, ...chunk.metadata } }),
    ...(extensions.size > 0 && { extensions: [...extensions] }),
  };
}

/** The metadata key under which the gateway stores what a task reports besides its status. */
const reported = 'a2a-gateway/task';

function withMetadata(task: Task, { [reported]: fields, ...metadata }: NonNullable<Task['metadata']>): Task {
  const own = Object.keys(metadata).length > 0 ? { ...task, metadata: { ...task.metadata, ...metadata } } : task;
  return { ...own, ...(fields as Partial<Task> | undefined) };
}

import type { Artifact, Message, StreamResponse, Task, TaskState, TaskStatus } from '../../core/model/a2a.ts';
import type { TaskIds } from '../../core/model/agent-events.ts';
import { own, sameJson } from '../../core/model/json.ts';
import { isLegal, isResting, isTerminal } from '../../core/model/lifecycle.ts';

/** The form of a difference: one event, as after a broken stream, or several, as if the polled agent had streamed them. */
export type DiffStyle = 'whole' | 'pieces';

/**
 * The events that turn the known task into the task that its agent reports; none if nothing is new. Both have the same
 * ids.
 *
 * What the agent leaves out (history, artifacts, metadata) stays. Another timestamp alone is nothing new. A state that
 * cannot follow the known one, or is unspecified, is ignored, and so is everything about a task in a terminal state.
 */
export function difference(known: Task, theirs: Task, style: DiffStyle): StreamResponse[] {
  if (isTerminal(known.status.state)) return [];
  const diff = compare(known, theirs);
  const others = diff.messages.filter((message) => message !== diff.current);
  const whole = (): StreamResponse[] => [{ task: mergeWith(known, theirs, diff) }];
  // No other event has room for fields of the task itself.
  if (hasOtherChanges(known, theirs)) return whole();
  const status = statusUpdate(known, diff);
  if (others.length + diff.artifacts.length === 0) return diff.changed ? [status] : [];
  if (style === 'whole' || others.some(({ role }) => role !== 'ROLE_AGENT')) return whole();
  const state = isResting(diff.status.state) ? 'TASK_STATE_WORKING' : diff.status.state;
  const { timestamp } = theirs.status;
  const time = timestamp !== undefined && { timestamp };
  return [
    ...others.map((message) => statusUpdate(known, { status: { ...time, state, message } })),
    ...diff.artifacts.map((artifact) => artifactUpdate(known, artifact)),
    ...(diff.changed || others.length > 0 ? [status] : []),
  ];
}

/** The known task, updated with the task that its agent reports. */
export const mergeTasks = (known: Task, theirs: Task): Task => mergeWith(known, theirs, match(known, theirs));

type TaskMatch = ReturnType<typeof match>;
type TaskDiff = ReturnType<typeof compare>;

/** Which of the messages in the reported task are known, and the task's status after the report. */
function match(known: Task, theirs: Task) {
  const ours = messagesOf(known);
  const { history = [], status: reported } = theirs;
  const all = reported.message && !isIn(history, reported.message) ? [...history, reported.message] : history;
  const places = matchMessages(ours, all);
  const status: TaskStatus = { ...reported, state: stateAfter(known.status.state, reported.state) };
  if (reported.message) {
    const place = places[all.findIndex((message) => isSame(message, reported.message))];
    status.message = (place === undefined ? undefined : ours[place]) ?? reported.message;
  }
  return { ours, all, places, status };
}

/** What is new in the reported task. */
function compare(known: Task, theirs: Task) {
  const matched = match(known, theirs);
  const { all, places, status } = matched;
  /** New messages in the agent's order, the current one last. */
  const messages = all.filter((_, at) => places[at] === undefined);
  const reported = theirs.status.message;
  /** The message of the status, if it is new. */
  const current = reported && messages.find((message) => isSame(message, reported));
  const artifacts = (theirs.artifacts ?? []).filter((artifact) => !sameJson(artifactIn(known, artifact), artifact));
  const metadata = changedIn(known.metadata, theirs.metadata);
  /** Whether the status or the metadata have changed. */
  const changed = status.state !== known.status.state || current !== undefined || metadata !== undefined;
  return { ...matched, messages, current, artifacts, metadata, changed };
}

/** Whether the agent reports a changed field that has no place of its own here, such as one of a later version of A2A. */
function hasOtherChanges(known: Task, theirs: Task): boolean {
  const { id: _, contextId: __, status: ___, history: ____, artifacts: _____, metadata: ______, ...others } = theirs;
  return Object.entries(others).some(([key, value]) => !sameJson(known[key as keyof Task], value));
}

/** The messages of a task, its status message last. Some agents list that one in the history as well. */
export const messagesOf = ({ history = [], status: { message } }: Task): Message[] =>
  message && !history.some((one) => isSame(one, message) && sameContent(one, message))
    ? [...history, message]
    : [...history];

export const artifactIn = ({ artifacts }: Task, { artifactId }: Artifact): Artifact | undefined =>
  artifacts?.findLast((artifact) => artifact.artifactId === artifactId);

const isSame = (one: Message, other: Message | undefined): boolean => one.messageId === other?.messageId;

const isIn = (history: readonly Message[], message: Message): boolean => history.some((one) => isSame(one, message));

/** The state of a task after its agent has reported `next`. */
export const stateAfter = (known: TaskState, next: TaskState): TaskState =>
  next !== 'TASK_STATE_UNSPECIFIED' && isLegal(known, next) ? next : known;

/** Members of metadata that are new or changed; undefined if there are none. */
export function changedIn(known: Task['metadata'], theirs: Task['metadata']): Task['metadata'] {
  const changed = Object.entries(theirs ?? {}).filter(([key, value]) => !sameJson(known && own(known, key), value));
  return changed.length === 0 ? undefined : Object.fromEntries(changed);
}

const idsOf = ({ id, contextId = '' }: Task): TaskIds => ({ taskId: id, contextId });

const statusUpdate = (
  known: Task,
  { status, metadata }: Pick<TaskDiff, 'status'> & Partial<TaskDiff>,
): StreamResponse => ({
  statusUpdate: { ...idsOf(known), status, ...(metadata && { metadata }) },
});

/** The event for a new or changed artifact. If parts were appended, the event appends only those. */
function artifactUpdate(known: Task, artifact: Artifact): StreamResponse {
  const before = artifactIn(known, artifact);
  const parts = before && grownBy(before, artifact);
  const changes = parts ? { artifact: { artifactId: artifact.artifactId, parts }, append: true } : { artifact };
  return { artifactUpdate: { ...idsOf(known), ...changes } };
}

function grownBy(before: Artifact, after: Artifact): Artifact['parts'] | undefined {
  const { parts, ...rest } = after;
  const { parts: had, ...restBefore } = before;
  if (parts.length <= had.length || !sameJson(restBefore, rest)) return undefined;
  return had.every((part, at) => sameJson(part, parts[at])) ? parts.slice(had.length) : undefined;
}

function mergeWith(known: Task, theirs: Task, { status, places, ours }: TaskMatch): Task {
  const { history: reported = [], artifacts: changed = [], metadata, ...others } = theirs;
  const merged: Task = { ...known, ...others, id: known.id, status };
  if (known.contextId !== undefined) merged.contextId = known.contextId;
  const history = mergeHistories(reported, places, ours, status.message);
  if (history.length > 0) merged.history = history;
  const artifacts = [...(known.artifacts ?? []), ...changed];
  if (artifacts.length > 0) merged.artifacts = artifacts.length === 1 ? artifacts : latestOf(artifacts);
  if (metadata && Object.keys(metadata).length > 0) merged.metadata = { ...known.metadata, ...metadata };
  return merged;
}

/** The artifacts without those that a later one of the same id replaces. */
const latestOf = (artifacts: readonly Artifact[]): Artifact[] => [
  ...new Map(artifacts.map((artifact) => [artifact.artifactId, artifact])).values(),
];

/** Their messages in their order, with those that we know replaced by ours; our other messages stay between them. */
function mergeHistories(
  theirs: readonly Message[],
  places: readonly (number | undefined)[],
  ours: readonly Message[],
  current: Message | undefined,
): Message[] {
  if (places.length === 0) return [...ours];
  const matched = new Set(places);
  const merged: Message[] = [];
  let next = 0;
  const upTo = (end: number): void => {
    for (; next < end; next++) if (!matched.has(next)) merged.push(ours[next] as Message);
  };
  theirs.forEach((message, i) => {
    const at = places[i];
    if (at === undefined) merged.push(message);
    else {
      upTo(at);
      merged.push(ours[at] as Message);
    }
  });
  upTo(ours.length);
  // The status holds the current message; it is in the history only if the agent lists it there too.
  return merged.filter((message, at) => message !== current || isIn(theirs.slice(at), message));
}

/** Whether two messages are equal apart from their ids. */
export const sameContent = (one: Message, other: Message): boolean =>
  one.role === other.role && sameJson(one.parts, other.parts);

/** Ways to match two messages, the most certain first. */
const matchers: readonly ((one: Message, other: Message) => boolean)[] = [
  // Clients may use an id twice.
  (one, other) => one.messageId === other.messageId && sameContent(one, other),
  (one, other) => one.messageId === other.messageId,
  sameContent,
];

/**
 * For each of their messages, the position of the same message among ours, if it is there. Messages are matched by id,
 * or else by content: in old dialects messages have no ids, and get a new one each time that they are read. Each of our
 * messages matches one of theirs at the most.
 */
function matchMessages(ours: readonly Message[], theirs: readonly Message[]): (number | undefined)[] {
  if (theirs.length === 0) return [];
  const free = new Set(ours.keys());
  const places = new Array<number | undefined>(theirs.length).fill(undefined);
  for (const matches of matchers) {
    if (free.size === 0) break;
    theirs.forEach((message, i) => {
      if (places[i] !== undefined) return;
      for (const at of free) {
        if (!matches(ours[at] as Message, message)) continue;
        free.delete(at);
        places[i] = at;
        return;
      }
    });
  }
  return places;
}

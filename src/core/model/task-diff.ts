import type { Artifact, Message, StreamResponse, Struct, Task, TaskState, TaskStatus } from './a2a.ts';
import type { TaskIds } from './agent-events.ts';
import { copyTask, fieldsKey, fold, isOtherField } from './fold.ts';
import { own, sameJson } from './json.ts';
import { isLegal, isResting, isTerminal } from './lifecycle.ts';

/**
 * Returns the updates that turn the known task into the task that its agent reports; none if nothing is new. Both have
 * the same ids. None of them is a Task: a stream has one Task, at its beginning.
 *
 * Fields that the agent leaves out (history, artifacts, metadata) stay. A changed timestamp alone is not an update. A
 * state that cannot follow the known one, or is unspecified, is ignored, and so is everything about a task in a
 * terminal state.
 */
export function difference(known: Task, theirs: Task): StreamResponse[] {
  if (isTerminal(known.status.state)) return [];
  const diff = compare(known, theirs);
  const { status, waits, current, messages, artifacts, metadata } = diff;
  const agentMessages = waits ? [] : messages.filter((message) => message !== current && message.role !== 'ROLE_USER');
  const state = isResting(status.state) ? 'TASK_STATE_WORKING' : status.state;
  const { timestamp } = theirs.status;
  const events = [
    ...agentMessages.map((message) =>
      statusUpdate(known, { ...(timestamp !== undefined && { timestamp }), state, message }),
    ),
    ...artifacts.map((artifact) => artifactUpdate(known, artifact)),
  ];
  const isBehind = status.state !== (agentMessages.length > 0 ? state : known.status.state);
  const isCurrent = current !== undefined || (agentMessages.length > 0 && status.message !== undefined);
  const last = statusUpdate(known, status, metadata);
  const usual = isBehind || isCurrent || metadata ? [...events, last] : events;
  const fields = unsaidFields(known, theirs, diff, usual);
  return fields ? [...events, statusUpdate(known, status, { ...metadata, [fieldsKey]: fields })] : usual;
}

/**
 * Returns fields of the task that these updates cannot express: messages not sent by the agent, messages before known
 * ones, and fields of later versions of A2A. They are sent with a status update, under a key of the gateway's own.
 */
function unsaidFields(
  known: Task,
  theirs: Task,
  diff: TaskDiff,
  events: readonly StreamResponse[],
): Struct | undefined {
  const fields: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(theirs)) {
    if (isOtherField(name) && !sameJson(known[name as keyof Task], value)) fields[name] = value;
  }
  if (diff.messages.length > 0) {
    const folded = events.reduce((task: Task, event) => fold(task, event), copyTask(known));
    const merged = mergeWith(known, theirs, diff);
    if (!sameJson(messageIds(folded), messageIds(merged))) fields.history = merged.history ?? [];
  }
  return Object.keys(fields).length > 0 ? (fields as Struct) : undefined;
}

const messageIds = (task: Task): string[] => messagesOf(task).map(({ messageId }) => messageId);

/** Whether the report of a task contains anything new. */
export const isNews = (known: Task, theirs: Task): boolean => difference(known, theirs).length > 0;

/** Returns the known task, updated with the task that its agent reports. */
export const mergeTasks = (known: Task, theirs: Task): Task => mergeWith(known, theirs, match(known, theirs));

type TaskMatch = ReturnType<typeof match>;
type TaskDiff = ReturnType<typeof compare>;

/** Matches the messages of the reported task with the known ones, and computes the task's status after the report. */
function match(known: Task, theirs: Task) {
  const ours = messagesOf(known);
  const { history = [], status: reported } = theirs;
  const all = reported.message && !isIn(history, reported.message) ? [...history, reported.message] : history;
  const places = matchMessages(ours, all);
  /** New messages in the agent's order, the current one last. */
  const messages = all.filter((_, at) => places[at] === undefined);
  /** The message of the status, if it is new. */
  const current = reported.message && messages.find((message) => isSame(message, reported.message));
  const state = stateAfter(known.status.state, reported.state);
  /** Whether the task rests as before, with an equal message: another status would replace the question it waits on. */
  const isSaid = reported.message ? current !== undefined : messages.length > 0;
  const waits = isResting(state) && state === known.status.state && !isSaid;
  const status: TaskStatus = waits ? known.status : { ...reported, state };
  if (reported.message && !waits) {
    const place = places[all.findIndex((message) => isSame(message, reported.message))];
    status.message = (place === undefined ? undefined : ours[place]) ?? reported.message;
  }
  return { ours, places, messages, current, waits, status };
}

/** Returns the parts of the reported task that are new. */
function compare(known: Task, theirs: Task) {
  const matched = match(known, theirs);
  const artifacts = latestOf(theirs.artifacts ?? []).filter(
    (artifact) => !sameJson(artifactIn(known, artifact), artifact),
  );
  return { ...matched, artifacts, metadata: changedIn(known.metadata, theirs.metadata) };
}

/** Returns the messages of a task, its status message last. Some agents list that one in the history as well. */
export const messagesOf = ({ history = [], status: { message } }: Task): Message[] =>
  message && !history.some((one) => isSame(one, message) && sameContent(one, message))
    ? [...history, message]
    : [...history];

/** Whether a task has a message: compared by id, or for the current message by content. */
export const hasMessage = (task: Task, message: Message): boolean =>
  messagesOf(task).some((one) => isSame(one, message)) ||
  (task.status.message !== undefined && sameContent(task.status.message, message));

export const artifactIn = ({ artifacts }: Task, { artifactId }: Artifact): Artifact | undefined =>
  artifacts?.findLast((artifact) => artifact.artifactId === artifactId);

const isSame = (one: Message, other: Message | undefined): boolean => one.messageId === other?.messageId;

const isIn = (history: readonly Message[], message: Message): boolean => history.some((one) => isSame(one, message));

/** Returns the state of a task after its agent has reported `next`. */
export const stateAfter = (known: TaskState, next: TaskState): TaskState =>
  next !== 'TASK_STATE_UNSPECIFIED' && isLegal(known, next) ? next : known;

/** Returns the members of metadata that are new or changed; undefined if there are none. */
export function changedIn(known: Task['metadata'], theirs: Task['metadata']): Task['metadata'] {
  const changed = Object.entries(theirs ?? {}).filter(([key, value]) => !sameJson(known && own(known, key), value));
  return changed.length === 0 ? undefined : Object.fromEntries(changed);
}

const idsOf = ({ id, contextId = '' }: Task): TaskIds => ({ taskId: id, contextId });

const statusUpdate = (known: Task, status: TaskStatus, metadata?: Struct): StreamResponse => ({
  statusUpdate: { ...idsOf(known), status, ...(metadata && { metadata }) },
});

/** Returns the event for a new or changed artifact. If parts were appended, the event appends only those. */
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

/** Returns the artifacts without those that a later one with an equal id replaces. */
const latestOf = (artifacts: readonly Artifact[]): Artifact[] => [
  ...new Map(artifacts.map((artifact) => [artifact.artifactId, artifact])).values(),
];

/**
 * Merges two histories: the agent's messages in their order, with known ones replaced by ours. Our other messages keep
 * their place between them, and stand before messages that the agent has after the last known one.
 */
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
  const end = places.slice(0, theirs.length).findLastIndex((place) => place !== undefined) + 1;
  theirs.slice(0, end).forEach((message, i) => {
    const at = places[i];
    if (at === undefined) merged.push(message);
    else {
      upTo(at);
      merged.push(ours[at] as Message);
    }
  });
  upTo(ours.length);
  merged.push(...theirs.slice(end));
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
 * Returns, for each of the agent's messages, the position of the equal message among ours, if there is one. Messages
 * are matched by id, or else by content: in old dialects messages have no ids, and get a new one each time that they
 * are read. Each of our messages matches at most one of the agent's.
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

/** Returns the agent's messages that match none of ours, in their order. */
export function unknownMessages(ours: readonly Message[], theirs: readonly Message[]): Message[] {
  const places = matchMessages(ours, theirs);
  return theirs.filter((_, at) => places[at] === undefined);
}

import type { Artifact, Message, StreamResponse, Struct, Task, TaskStatus } from '../../core/model/a2a.ts';
import { A2AError } from '../../core/model/errors.ts';
import type { Chain, Chunk } from './chain.ts';
import { guardsKey, type Mark, textOf } from './model.ts';

/** Returns a copy of an object with new members, or the object itself if they are equal to those that it has. */
export async function withMembers<T extends object>(
  object: T,
  members: { readonly [K in keyof T]?: Promise<T[K]> | undefined },
): Promise<T> {
  const given = Object.entries<Promise<unknown> | undefined>(members).filter(([, value]) => value);
  const made = await Promise.all(given.map(async ([name, value]) => [name, await value] as const));
  return made.every(([name, value]) => object[name as keyof T] === value)
    ? object
    : { ...object, ...Object.fromEntries(made) };
}

/** Returns a list of the judged items, or the list itself if no item changed. */
export async function eachOf<T>(list: T[], judge: (item: T) => Promise<T>): Promise<T[]> {
  const judged = await Promise.all(list.map(judge));
  return judged.every((item, at) => item === list[at]) ? list : judged;
}

/** Whether a caller's message in the history was judged before. */
type IsKnown = (message: Message) => Promise<boolean>;

/** Returns an event after guards have judged the parts of its messages, status and artifacts. Rejects with Blocked. */
export async function judgedEvent(event: StreamResponse, chain: Chain, isKnown: IsKnown): Promise<StreamResponse> {
  const { message, statusUpdate, artifactUpdate, task } = event ?? {};
  if (message) return withMembers(event, { message: judgedMessage(message, chain) });
  if (statusUpdate?.status) {
    const { status } = statusUpdate;
    return withMembers(event, {
      statusUpdate: withMembers(statusUpdate, { status: judgedStatus(status, chain) }),
    });
  }
  if (artifactUpdate?.artifact) {
    const { artifact, append } = artifactUpdate;
    return withMembers(event, {
      artifactUpdate: withMembers(artifactUpdate, { artifact: judgedArtifact(artifact, chain, append === true) }),
    });
  }
  return task ? withMembers(event, { task: judgedTask(task, chain, isKnown) }) : event;
}

/** Returns a task after guards have judged its parts. */
export const judgedTask = (task: Task, chain: Chain, isKnown: IsKnown): Promise<Task> =>
  withMembers(task, {
    artifacts: task.artifacts && eachOf(task.artifacts, (artifact) => judgedArtifact(artifact, chain, false)),
    history:
      task.history &&
      eachOf(task.history, async (message) =>
        message?.role === 'ROLE_USER' && (await isKnown(message)) ? message : judgedMessage(message, chain),
      ),
    status: task.status && judgedStatus(task.status, chain),
  });

/** Returns a status after guards have judged the parts of its message. */
export const judgedStatus = async (status: TaskStatus, chain: Chain): Promise<TaskStatus> =>
  status.message ? withMembers(status, { message: judgedMessage(status.message, chain) }) : status;

const judgedMessage = (message: Message, chain: Chain): Promise<Message> =>
  judged(message, chain, { messageId: message?.messageId ?? '' });

const judgedArtifact = (artifact: Artifact, chain: Chain, append: boolean): Promise<Artifact> =>
  judged(artifact, chain, { artifactId: artifact?.artifactId ?? '', append });

/** Judges the parts of a message or artifact. A value without parts is passed on, since the core refuses it. */
async function judged<T extends Message | Artifact>(holder: T, chain: Chain, of: Omit<Chunk, 'parts'>): Promise<T> {
  if (!Array.isArray(holder?.parts)) return holder;
  const { parts, marks } = await chain.judge({ ...of, parts: holder.parts });
  return marks.length === 0 ? holder : { ...holder, parts, metadata: marked(holder.metadata, marks) };
}

/** Returns metadata that name the guards which have replaced parts. */
export const marked = (metadata: Struct | undefined, marks: readonly Mark[]): Struct => ({
  ...metadata,
  [guardsKey]: marks.map((mark) => ({ ...mark })),
});

/** Returns an agent's error after guards have judged its message. Rejects with Blocked. */
export async function judgedError(thrown: unknown, chain: Chain): Promise<unknown> {
  if (!(thrown instanceof Error)) return thrown;
  const { violations = [], metadata = {} } = thrown instanceof A2AError ? thrown : {};
  const text = [thrown.message, ...violations.map(({ field, description }) => `${field} ${description}`)].join('\n');
  const facts = Object.keys(metadata).length > 0 ? [{ data: { ...metadata } }] : [];
  const { parts, marks } = await chain.judge({ parts: [{ text }, ...facts] });
  if (marks.length === 0) return thrown;
  const { kind, retryAfter } = A2AError.from(thrown);
  return new A2AError(kind, textOf(parts), { retryAfter });
}

import type { Artifact, Message, StreamResponse, Struct, Task, TaskStatus } from '../../core/model/a2a.ts';
import { A2AError } from '../../core/model/errors.ts';
import type { Chain, Chunk } from './chain.ts';
import { guardsKey, type Mark, textOf } from './model.ts';

/**
 * An event with the parts that guards leave of it: of messages, of the status, and of artifacts. Rejects with Blocked.
 *
 * @param isKnown whether a message of a caller in the history was judged before
 */
export async function judgedEvent(
  event: StreamResponse,
  chain: Chain,
  isKnown: (message: Message) => Promise<boolean>,
): Promise<StreamResponse> {
  const { message, statusUpdate, artifactUpdate, task } = event ?? {};
  if (message) return withChange(event, { message: await judgedMessage(message, chain) });
  if (statusUpdate?.status) {
    const status = await judgedStatus(statusUpdate.status, chain);
    return status === statusUpdate.status ? event : { statusUpdate: { ...statusUpdate, status } };
  }
  if (artifactUpdate?.artifact) {
    const { artifact, append } = artifactUpdate;
    const judged = await judgedArtifact(artifact, chain, append === true);
    return judged === artifact ? event : { artifactUpdate: { ...artifactUpdate, artifact: judged } };
  }
  return task ? withChange(event, { task: await judgedTask(task, chain, isKnown) }) : event;
}

/** The event, unless its member is another one now. */
const withChange = <K extends 'message' | 'task'>(event: StreamResponse, changed: Pick<StreamResponse, K>) =>
  Object.entries(changed).every(([key, value]) => event[key as K] === value) ? event : changed;

/** A task with the parts that guards leave of it. */
export async function judgedTask(
  task: Task,
  chain: Chain,
  isKnown: (message: Message) => Promise<boolean>,
): Promise<Task> {
  const { artifacts, history, status } = task;
  const [judgedArtifacts, judgedHistory, judged] = await Promise.all([
    artifacts && Promise.all(artifacts.map((artifact) => judgedArtifact(artifact, chain, false))),
    history &&
      Promise.all(
        history.map(async (message) =>
          message?.role === 'ROLE_USER' && (await isKnown(message)) ? message : judgedMessage(message, chain),
        ),
      ),
    status && judgedStatus(status, chain),
  ]);
  const isSame = judged === status && isEach(artifacts, judgedArtifacts) && isEach(history, judgedHistory);
  if (isSame) return task;
  return {
    ...task,
    status: judged,
    ...(judgedArtifacts && { artifacts: judgedArtifacts }),
    ...(judgedHistory && { history: judgedHistory }),
  };
}

const isEach = (given: readonly object[] | undefined, judged: readonly object[] | undefined): boolean =>
  (given ?? []).every((one, at) => one === judged?.[at]);

/** A status with the parts that guards leave of its message. */
export async function judgedStatus(status: TaskStatus, chain: Chain): Promise<TaskStatus> {
  if (!status.message) return status;
  const message = await judgedMessage(status.message, chain);
  return message === status.message ? status : { ...status, message };
}

const judgedMessage = (message: Message, chain: Chain): Promise<Message> =>
  judged(message, chain, { messageId: message?.messageId ?? '' });

const judgedArtifact = (artifact: Artifact, chain: Chain, append: boolean): Promise<Artifact> =>
  judged(artifact, chain, { artifactId: artifact?.artifactId ?? '', append });

/** What has no parts is judged by the core, which refuses it. */
async function judged<T extends Message | Artifact>(holder: T, chain: Chain, of: Omit<Chunk, 'parts'>): Promise<T> {
  if (!Array.isArray(holder?.parts)) return holder;
  const { parts, marks } = await chain.judge({ ...of, parts: holder.parts });
  return marks.length === 0 ? holder : { ...holder, parts, metadata: marked(holder.metadata, marks) };
}

/** Metadata that name the guards which have replaced parts. */
export const marked = (metadata: Struct | undefined, marks: readonly Mark[]): Struct => ({
  ...metadata,
  [guardsKey]: marks.map((mark) => ({ ...mark })),
});

/** An error of an agent with the words that guards leave of it. Rejects with Blocked. */
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

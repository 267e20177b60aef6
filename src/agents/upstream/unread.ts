import type { StreamResponse, Struct, Task, TaskStatus } from '../../core/model/a2a.ts';
import type { AgentLog } from '../../core/model/agent.ts';
import { A2AError } from '../../core/model/errors.ts';
import { artifactIn } from '../../core/model/task-diff.ts';
import { maxUnread, unreadIn, unreadKey } from '../../core/model/unread.ts';

/** Pieces of an agent's answers in one turn that could not be read. The task's metadata names each of them once. */
export class UnreadPieces {
  readonly #log: AgentLog;
  /** Lines that wait for an event which changes the metadata of the task. */
  readonly #waiting = new Set<string>();

  constructor(log: AgentLog) {
    this.#log = log;
  }

  /** Names pieces in the next event that changes the metadata of the task. */
  add(...lines: readonly string[]): void {
    const fresh = lines.filter((line) => !this.#waiting.has(line));
    if (fresh.length === 0) return;
    this.#log.warn("parts of the agent's answer could not be read and were left out", { unread: fresh });
    for (const line of fresh) this.#waiting.add(line);
  }

  /** The event, with all lines of the task so far if it can change the metadata of the task. New lines are logged. */
  addTo(event: StreamResponse, known: Task): StreamResponse {
    const { task, statusUpdate, artifactUpdate, message } = event;
    const holder = task ?? statusUpdate ?? artifactUpdate ?? message;
    const lines = unreadIn(holder?.metadata);
    if (lines.length === 0 && this.#waiting.size === 0) return event;
    const before = unreadIn(known.metadata);
    const own = artifactUpdate ? lines.map((line) => inTask(line, artifactUpdate.artifact, known)) : lines;
    this.add(...own.filter((line) => !before.includes(line)));
    if (!task && !statusUpdate) return event;
    const all = [...before, ...this.#waiting].slice(0, maxUnread);
    this.#waiting.clear();
    if (all.length === 0) return event;
    if (task) return { task: { ...task, metadata: { ...task.metadata, [unreadKey]: all } } };
    const metadata = { ...(statusUpdate as { metadata?: Struct }).metadata, [unreadKey]: all };
    return { statusUpdate: { ...(statusUpdate as NonNullable<typeof statusUpdate>), metadata } };
  }
}

/** A line about the artifact of an event, with the place of the artifact in the task. */
function inTask(line: string, artifact: NonNullable<Task['artifacts']>[number], known: Task): string {
  const existing = artifactIn(known, artifact);
  const { artifacts = [] } = known;
  const at = existing ? artifacts.indexOf(existing) : artifacts.length;
  return line.replace(/^artifact\b/, `artifacts[${at}]`);
}

/** The state in a status as JSON, if it cannot be read; otherwise undefined. */
export function unreadableState({ status, metadata }: { status: TaskStatus; metadata?: Struct }): string | undefined {
  if (status.state !== 'TASK_STATE_UNSPECIFIED') return undefined;
  const line = unreadIn(metadata).find((one) => one.startsWith(stateLine));
  return line?.slice(stateLine.length) ?? '"unknown"';
}

const stateLine = 'status.state: unknown state ';

/** The error of a task whose last state cannot be read. */
export const unreadableEnd = (state: string): A2AError =>
  new A2AError('invalidAgentResponse', `The upstream agent reported a task state that A2A does not have: ${state}`);

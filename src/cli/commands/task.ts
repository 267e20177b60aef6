import { parseTarget } from '../../client/choose.ts';
import { A2AError, type Client, type StreamResponse, type Task } from '../../client/index.ts';
import type { Struct } from '../../core/model/a2a.ts';
import { defined } from '../../core/model/json.ts';
import { isInterrupted } from '../../core/model/lifecycle.ts';
import { propertiesOf, questionOf } from '../../core/model/question.ts';
import { oneLine } from '../../core/model/text.ts';
import { CommandFailed } from '../exit-code.ts';
import { createAnswerFiles, type OutOptions } from '../files.ts';
import { follow } from '../follow.ts';
import type { Output } from '../output.ts';
import { withAdmin } from '../own-gateway.ts';
import {
  artifactText,
  failureText,
  isFailure,
  messageText,
  stateCell,
  stateNamed,
  stateWord,
  taskText,
} from '../render.ts';
import { type TargetOptions, withClient } from '../target.ts';
import { partsOf, type SendCommandOptions, send } from './send.ts';

export interface ListOptions extends TargetOptions {
  readonly state?: string;
  readonly context?: string;
  readonly limit: number;
}

/** Puts an id or a name on one line, so that it cannot look like another line. */
const named = (text: string): string => oneLine(text, 300);

/** Prints the state, the artifacts and the message of a task. */
function printTask(task: Task, output: Output): void {
  const { state, timestamp } = task.status;
  const since = timestamp === undefined ? '' : ` since ${timestamp}`;
  output.print(`task ${named(task.id)}: ${stateWord(state)}${since}\n`);
  if (task.contextId !== undefined) output.print(`context ${named(task.contextId)}\n`);
  for (const artifact of task.artifacts ?? []) {
    output.print(`\n${named(artifact.name ?? 'artifact')}:\n${artifactText(artifact)}\n`);
  }
  const said = messageText(task.status.message);
  if (said !== '') output.print(`\n${said}\n`);
  const schema = questionOf(task)?.schema;
  if (schema) output.print(`\nthe answer follows this JSON Schema:\n${JSON.stringify(schema, undefined, 2)}\n`);
}

/** `a2a-gateway task get`: shows a task. */
export async function get(target: string, id: string, options: OutOptions, output: Output): Promise<void> {
  const files = createAnswerFiles(options, output);
  await withClient(target, options, output, async (client, read) => {
    const task = await client.getTask({ id });
    if (options.json === true) output.json(task);
    else printTask(task, output);
    files.event({ task });
    await files.save(read);
  });
}

/** `a2a-gateway task cancel`: cancels a task. */
export const cancel = (target: string, id: string, options: TargetOptions, output: Output): Promise<void> =>
  withClient(target, options, output, async (client) => {
    const task = await client.cancelTask({ id });
    if (options.json === true) output.json(task);
    else output.print(`task ${named(task.id)}: ${stateWord(task.status.state)}\n`);
  });

/**
 * `a2a-gateway task answer`: sends the answer, and waits as `send` does. If the task belongs to another caller, or
 * waits for people to agree to it, the answer is sent to the admin service and the command does not wait.
 */
export async function answer(
  target: string,
  id: string,
  text: string | undefined,
  options: Omit<SendCommandOptions, 'wait'>,
  output: Output,
): Promise<void> {
  const task = await withClient(target, options, output, (client) =>
    client.getTask({ id, historyLength: 0 }).catch((thrown: unknown) => {
      if (!isOfOther.has(A2AError.from(thrown).kind)) throw thrown;
      return undefined;
    }),
  );
  if (task && !isInterrupted(task.status.state)) {
    throw new CommandFailed(`the task ${named(id)} asks nothing: it is ${stateWord(task.status.state)}`);
  }
  if (task && !isDecidedByPeople(task)) return send(target, text, { ...options, task: id, wait: true }, output);
  const parts = await partsOf(text, options);
  await withAdmin(parseTarget(target).origin, options, output, async (admin) => {
    const details = await admin.answerQuestion({ key: id, parts: parts as object[] as Struct[] });
    if (options.json === true) output.json(details);
    else output.print(`task ${named(id)}: the answer was given\n`);
  });
}

/** Whether a task waits for people to agree. Callers receive only the schema of the decision, and not who is asked. */
const isDecidedByPeople = (task: Task): boolean =>
  task.status.state === 'TASK_STATE_AUTH_REQUIRED' && propertiesOf(questionOf(task)?.schema).decision !== undefined;

/** Errors about tasks of other callers. */
const isOfOther: ReadonlySet<string> = new Set(['taskNotFound', 'permissionDenied']);

/** `a2a-gateway task list`: lists tasks, newest first, and reads as many pages as the limit requires. */
export const list = (target: string, options: ListOptions, output: Output): Promise<void> =>
  withClient(target, options, output, async (client) => {
    const { tasks, totalSize } = await pages(client, options);
    if (options.json === true) return output.json(tasks);
    const rows = tasks.map(({ id, status }) => [
      id,
      stateCell(status.state),
      status.timestamp ?? '',
      oneLine(messageText(status.message), 60),
    ]);
    output.table(['task', 'state', 'since', 'message'], rows);
    if (tasks.length === 0) output.note('no tasks');
    else if (tasks.length < totalSize) output.note(`${tasks.length} of ${totalSize} tasks; use --limit to show more`);
  });

async function pages(
  client: Client,
  { state, context, limit }: ListOptions,
): Promise<{ tasks: Task[]; totalSize: number }> {
  const status = state === undefined ? undefined : stateNamed(state);
  const filter = defined({ status, contextId: context });
  const tasks: Task[] = [];
  for (let pageToken = ''; ; ) {
    const pageSize = Math.min(100, limit - tasks.length);
    const page = await client.listTasks({ ...filter, pageSize, ...(pageToken !== '' && { pageToken }) });
    tasks.push(...page.tasks);
    pageToken = page.nextPageToken;
    if (pageToken === '' || tasks.length >= limit || page.tasks.length === 0) {
      return { tasks: tasks.slice(0, limit), totalSize: page.totalSize };
    }
  }
}

/** `a2a-gateway task watch`: follows a task to its end, even while it waits for input. */
export async function watch(target: string, id: string, options: OutOptions, output: Output): Promise<void> {
  const files = createAnswerFiles(options, output);
  const onEvent = (event: StreamResponse): void => {
    files.event(event);
    output.print(options.json === true ? `${JSON.stringify(event)}\n` : `${eventLine(event)}\n`);
  };
  const task = await withClient(target, options, output, async (client, read) => {
    const last = await follow(client, id, { untilSettled: false, onEvent });
    await files.save(read);
    return last;
  });
  if (isFailure(task.status.state)) throw new CommandFailed(failureText(task));
}

function eventLine({ task, statusUpdate, artifactUpdate, message }: StreamResponse): string {
  if (artifactUpdate !== undefined) {
    const { artifact, append } = artifactUpdate;
    return `${append === true ? '+ ' : ''}${artifact.name ?? 'artifact'}: ${artifactText(artifact)}`;
  }
  const status = (task ?? statusUpdate)?.status;
  if (status === undefined) return messageText(message);
  const said = task === undefined ? messageText(status.message) : taskText(task);
  return said === '' ? stateWord(status.state) : `${stateWord(status.state)}: ${said}`;
}

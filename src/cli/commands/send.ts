import { basename } from 'node:path';
import { text as readAll } from 'node:stream/consumers';
import {
  A2AError,
  type Client,
  type Part,
  type SendOptions,
  type StreamResponse,
  sendRequest,
} from '../../client/index.ts';
import { defined } from '../../core/model/json.ts';
import { isResting, isTerminal } from '../../core/model/lifecycle.ts';
import type { Joiner } from '../../core/model/text.ts';
import { CommandFailed, TaskWaits, UsageError } from '../exit-code.ts';
import { createAnswerFiles, type OutOptions } from '../files.ts';
import { follow } from '../follow.ts';
import { jsonInput, mediaTypeOf, readInput } from '../input.ts';
import { type Output, startWaiting } from '../output.ts';
import {
  createJoiner,
  failureText,
  isFailure,
  messageText,
  ownCommand,
  shellWord,
  stateWord,
  type TaskProgress,
  taskText,
} from '../render.ts';
import { targetFlags, withClient } from '../target.ts';

export interface SendCommandOptions extends OutOptions {
  readonly stream?: boolean;
  readonly task?: string;
  readonly context?: string;
  readonly file?: readonly string[];
  readonly data?: readonly string[];
  /** False with `--no-wait`. */
  readonly wait: boolean;
}

/** `a2a-gateway send`: sends a message, waits for the answer, and prints it. */
export async function send(
  target: string,
  text: string | undefined,
  options: SendCommandOptions,
  output: Output,
): Promise<void> {
  if (options.stream === true && !options.wait) throw new UsageError('--stream and --no-wait exclude each other');
  const parts = await partsOf(text, options);
  const place: SendOptions = {
    ...defined({ taskId: options.task, contextId: options.context }),
  };
  const files = createAnswerFiles(options, output);
  const task = await withClient(target, options, output, async (client, read) => {
    const answer = options.stream === true ? streamAnswer : awaitAnswer;
    const ended = await answer({ client, parts, place, options, output, files });
    await files.save(read);
    return ended;
  });
  if (task !== undefined) conclude(task, target, options, output);
}

/** Reads the parts of a message. Throws a UsageError if there are none. */
export async function partsOf(
  text: string | undefined,
  { file = [], data = [] }: Pick<SendCommandOptions, 'file' | 'data'>,
): Promise<Part[]> {
  const parts: Part[] = [];
  if (text !== undefined) parts.push({ text: text === '-' ? await readAll(process.stdin) : text });
  for (const json of data) {
    parts.push({ data: jsonInput(json, '--data: ', '{"city":"Paris"}') });
  }
  for (const path of file) {
    const content = await readInput(path, '--file: ');
    parts.push({ raw: content.toString('base64'), filename: basename(path), mediaType: mediaTypeOf(path) });
  }
  if (parts.length === 0) throw new UsageError('nothing to send: expected TEXT, --file or --data');
  return parts;
}

/** A message to send, and the destinations of its answer. */
interface Sending {
  readonly client: Client;
  readonly parts: readonly Part[];
  readonly place: SendOptions;
  readonly options: SendCommandOptions;
  readonly output: Output;
  readonly files: ReturnType<typeof createAnswerFiles>;
}

/** Waits for the answer and prints it. Returns the task, unless the answer is a message. */
async function awaitAnswer(sending: Sending): Promise<TaskProgress | undefined> {
  const { client, parts, place, output, files } = sending;
  const { wait, json } = sending.options;
  const waiting = startWaiting(output, 'waiting for the answer');
  try {
    let answer = await client.send(parts, { ...place, ...(!wait && { returnImmediately: true }) });
    if (answer.task !== undefined && wait && !isResting(answer.task.status.state)) {
      // A server may limit the time for a response, and return the unfinished task.
      const onEvent = ({ task, statusUpdate }: StreamResponse): void => {
        const status = (task ?? statusUpdate)?.status;
        if (status !== undefined) waiting.update(`${stateWord(status.state)} ${messageText(status.message)}`);
      };
      answer = { task: await follow(client, answer.task.id, { untilSettled: true, onEvent }) };
    }
    waiting.stop();
    files.event(answer);
    const { task } = answer;
    const said = task === undefined ? messageText(answer.message) : taskText(task);
    if (json === true) output.json(answer);
    else if (said !== '') output.print(`${said}\n`);
    return task;
  } finally {
    waiting.stop();
  }
}

/** Prints the answer while it arrives. Returns the task, unless the answer is a message. */
async function streamAnswer(sending: Sending): Promise<TaskProgress | undefined> {
  const { client, parts, place, output, files } = sending;
  const { json } = sending.options;
  const printer = new StreamPrinter(output);
  let last: TaskProgress | undefined;
  let after: number | undefined;
  const onEvent = (event: StreamResponse): void => {
    files.event(event);
    if (json === true) output.print(`${JSON.stringify(event)}\n`);
    else printer.event(event);
    const { task, statusUpdate } = event;
    last = task ?? (statusUpdate === undefined ? last : { id: statusUpdate.taskId, status: statusUpdate.status });
  };
  try {
    for await (const { seq, event } of client.events('SendStreamingMessage', sendRequest(parts, place))) {
      after = seq;
      onEvent(event);
    }
  } catch (thrown) {
    // A broken stream is resumed, once its task is known.
    if (last === undefined || A2AError.from(thrown).kind !== 'upstreamUnreachable') throw thrown;
  }
  if (last !== undefined && !isResting(last.status.state)) {
    last = await follow(client, last.id, { untilSettled: true, onEvent, ...(after !== undefined && { after }) });
  }
  printer.end();
  // The message of the last status has not been printed yet. For a failed task it is the error of the command.
  if (json !== true && last !== undefined && !isFailure(last.status.state)) {
    const said = messageText(last.status.message) || printer.reply;
    if (said !== '') output.print(`${said}\n`);
  }
  return last;
}

/** Prints the next command for an unfinished task. Throws if the task failed or waits for the user. */
function conclude(task: TaskProgress, target: string, options: SendCommandOptions, output: Output): void {
  const { state } = task.status;
  if (isFailure(state)) throw new CommandFailed(failureText(task));
  if (isTerminal(state)) return;
  const command = (words: string): string => `${ownCommand()} ${words}${targetFlags(options)}`;
  const where = shellWord(target);
  if (state === 'TASK_STATE_INPUT_REQUIRED') {
    output.note(
      `task ${task.id} needs input; answer with: ${command(`send ${where} 'YOUR ANSWER' --task ${task.id}`)}`,
    );
  } else if (state === 'TASK_STATE_AUTH_REQUIRED') {
    output.note(`task ${task.id} needs authorization; follow it with: ${command(`task watch ${where} ${task.id}`)}`);
  } else {
    output.note(`task ${task.id} is ${stateWord(state)}; follow it with: ${command(`task watch ${where} ${task.id}`)}`);
    return;
  }
  throw new TaskWaits();
}

/** Prints the events of a stream: artifacts and messages on stdout, states as progress. */
export class StreamPrinter {
  readonly #output: Output;
  readonly #artifacts = new Map<string, { readonly joiner: Joiner; text: string }>();
  #current: string | undefined;
  #lineOpen = false;
  #hasPrinted = false;
  #lastSaid = '';

  constructor(output: Output) {
    this.#output = output;
  }

  #print(text: string): void {
    if (text === '') return;
    this.#hasPrinted = true;
    this.#output.print(text);
    this.#lineOpen = !text.endsWith('\n');
  }

  end(): void {
    if (this.#lineOpen) this.#output.print('\n');
    this.#lineOpen = false;
  }

  #show(id: string, parts: readonly Part[], afresh: boolean): void {
    const before = this.#artifacts.get(id);
    const artifact = before === undefined || afresh ? { joiner: createJoiner(), text: '' } : before;
    this.#artifacts.set(id, artifact);
    const added = parts.map((part) => artifact.joiner.push(part)).join('');
    artifact.text += added;
    // Agents that cannot append send the whole artifact again: only its new end is printed.
    const grown = afresh && before !== undefined && this.#current === id && artifact.text.startsWith(before.text);
    if (!grown && (afresh || this.#current !== id)) this.end();
    this.#current = id;
    this.#print(grown ? artifact.text.slice(before.text.length) : added);
  }

  event({ task, message, artifactUpdate, statusUpdate }: StreamResponse): void {
    if (message !== undefined) {
      this.end();
      this.#print(messageText(message));
      this.end();
    }
    // A Task repeats artifacts that have been printed.
    for (const { artifactId, parts } of task?.artifacts ?? []) {
      const seen = this.#artifacts.get(artifactId)?.joiner.count ?? 0;
      if (parts.length > seen) this.#show(artifactId, parts.slice(seen), false);
    }
    if (artifactUpdate !== undefined) {
      const { artifact, append } = artifactUpdate;
      this.#show(artifact.artifactId, artifact.parts, append !== true);
    }
    const status = (task ?? statusUpdate)?.status;
    if (status === undefined) return;
    const said = messageText(status.message);
    if (said !== '') this.#lastSaid = said;
    if (!this.#lineOpen) this.#output.progress(`${stateWord(status.state)} ${said}`);
  }

  get reply(): string {
    return this.#hasPrinted ? '' : this.#lastSaid;
  }
}

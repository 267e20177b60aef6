import { vi } from 'vitest';
import type { Message, Part, Task } from '../../src/core/model/a2a.ts';
import { isResting } from '../../src/core/model/lifecycle.ts';
import { unreadIn } from '../../src/core/model/unread.ts';
import { openStore, startCore, userMessage } from '../support/core.ts';
import { agentOf, type GetMode } from './agent.ts';
import { type Answers, allAnswers } from './answers.ts';
import { applies, garbled, garblings, type Leaf, leavesOf, type Path } from './garble.ts';

/** One garbled answer: a frame of the agent with one value garbled, and what the agent answers to tasks/get. */
interface Mutant {
  readonly of: Answers;
  readonly answers: Answers;
  readonly leaf: Leaf;
  readonly garbling: (typeof garblings)[number];
  readonly get: GetMode;
}

const getModes: readonly GetMode[] = ['repeats', 'leaves out', 'fails'];

/** A frame of some answers, a value in it, and how it is garbled. */
interface Place {
  readonly at: number;
  readonly leaf: Leaf;
  readonly garbling: Mutant['garbling'];
}

/** All places of some answers: copies are made of those alone that a sample has. */
function placesOf({ frames }: Answers): Place[] {
  return frames.flatMap(({ data }, at) =>
    leavesOf(data).flatMap((leaf) =>
      garblings.filter((garbling) => applies(leaf, garbling)).map((garbling) => ({ at, leaf, garbling })),
    ),
  );
}

function mutantAt({ at, leaf, garbling }: Place, answers: Answers, get: GetMode): Mutant {
  const frame = answers.frames[at] as Answers['frames'][number];
  const frames = answers.frames.with(at, { ...frame, data: garbled(frame.data, leaf, garbling) });
  const task = repeated(answers, leaf, garbling);
  return { of: answers, answers: { ...answers, frames, task }, leaf, garbling, get };
}

/** The task that tasks/get answers, with the same value garbled where the task holds it. */
function repeated({ task }: Answers, { path, value }: Leaf, garbling: Mutant['garbling']): unknown {
  const text = JSON.stringify(value);
  const same = leavesOf(task).find((leaf) => leaf.path.at(-1) === path.at(-1) && JSON.stringify(leaf.value) === text);
  return (same && garbled(task, same, garbling)) ?? task;
}

/** The outcome of a message to an agent. */
interface Outcome {
  readonly task?: Task;
  readonly message?: Message;
  readonly error?: string;
}

/** Sends a message to each of some agents, all at once, and moves the virtual clock until all have answered. */
async function runAll(worlds: readonly { readonly answers: Answers; readonly get: GetMode }[]): Promise<Outcome[]> {
  const store = await openStore();
  const names = worlds.map((_, at) => `w${at}`);
  const agents = worlds.map(({ answers, get }, at) => [
    names[at] as string,
    agentOf(names[at] as string, answers, get, store),
  ]);
  const bench = await startCore(Object.fromEntries(agents), { store, answer: 86_400_000 });
  let left = worlds.length;
  const outcomes = worlds.map((_, at) =>
    bench
      .call('SendMessage', { message: userMessage('hello') }, { agent: names[at] as string })
      .catch((thrown: Error): Outcome => ({ error: thrown.message }))
      .finally(() => {
        left -= 1;
      }),
  );
  const end = Date.now() + 3_600_000;
  while (left > 0 && Date.now() < end) {
    await vi.advanceTimersByTimeAsync(50);
    await turn();
  }
  const over: Outcome = { error: 'is still open after an hour' };
  const answered = await Promise.all(outcomes.map((outcome) => Promise.race([outcome, turn().then(() => over)])));
  await bench.close();
  return answered as Outcome[];
}

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** The texts, data and files in a task or a message, and the names of its artifacts. */
function contentsOf({ task, message }: Outcome): string[] {
  const messages = [message, task?.status.message, ...(task?.history ?? [])];
  const parts = [...messages, ...(task?.artifacts ?? [])].flatMap((one) => one?.parts ?? []);
  const names = (task?.artifacts ?? []).flatMap(({ name, description }) => [name, description]);
  // The message of the caller, and what an agent says whose tasks/get fails.
  return [
    ...parts.map(textOfPart).filter((text) => !['"broken"', '"Internal error"', '"hello"'].includes(text)),
    ...names.filter((name) => name !== undefined).map((name) => JSON.stringify(name)),
  ];
}

const textOfPart = ({ text, data, raw, url }: Part): string => JSON.stringify(text ?? data ?? raw ?? url ?? '');

/** Everything below the part around a value, or below the value where no part is around it. */
function hangsOn({ frames }: Answers, { path, value }: Leaf, answers: Answers): string {
  const inPart = path.findLastIndex(
    (step, at) => (step === 'parts' || step === 'content') && typeof path[at + 1] === 'number',
  );
  if (inPart < 0) return `${JSON.stringify(value)} ${textOfParents(answers, path)}`;
  const to = path.slice(0, inPart + 2);
  return frames.map(({ data }) => JSON.stringify(valueAt(data, to)) ?? '').join(' ');
}

/** A file's members make one part, and so do those of an artifact with `content`. */
function textOfParents({ frames }: Answers, path: Path): string {
  const around = path.slice(0, -1);
  return frames
    .map(({ data }) => valueAt(data, around))
    .filter((one) => typeof one === 'object' && one !== null && ('content' in one || 'bytes' in one))
    .map((one) => JSON.stringify(one))
    .join(' ');
}

const valueAt = (document: unknown, path: Path): unknown =>
  path.reduce((at: unknown, step) => (at as Record<string, unknown> | undefined)?.[step], document);

/** Faults in the outcome of a mutant, compared with the outcome of the intact answers. */
function faultOf({ of, leaf, garbling, answers }: Mutant, base: Outcome, outcome: Outcome): string | undefined {
  const { task, error } = outcome;
  if (error?.includes('still open')) return error;
  // Nothing of the answer is left.
  if (error && leaf.path.length === 1) return undefined;
  if (task && !isResting(task.status.state)) return `rests in ${task.status.state}`;
  const told = [...unreadIn((task ?? outcome.message)?.metadata), error ?? '', statusTextOf(task)].join(' ');
  const exempt = hangsOn(of, leaf, answers);
  const had = new Set(contentsOf(outcome));
  const lost = contentsOf(base).filter((content) => !had.has(content));
  const missed = lost.filter((content) => !isIn(exempt, content) && content !== '""');
  // Without its id it is unknown which task a piece belongs to.
  if (leaf.path.at(-1) === 'id' || leaf.path.at(-1) === 'taskId') {
    return lost.length > 0 && told.trim() === '' ? `lost ${lost.join(', ')} without a word` : undefined;
  }
  const isAbsent = garbling.removes === true || garbling.name === 'is null';
  const last = leaf.path.at(-1);
  // The event is empty.
  if (isAbsent && leaf.path.length === 1 && of.streams) return undefined;
  // A chunk without `append` replaces the artifact, and one without `index` is the first.
  if (isAbsent && (last === 'append' || last === 'index')) return undefined;
  // PHP's agents write numbers for texts, which are read as such.
  if (had.has('"42"')) return undefined;
  if (missed.length > 0 && garbling.name !== 'has half a character') return `lost ${missed.join(', ')}; told: ${told}`;
  const ended = base.task?.status.state;
  const isState = leaf.path.at(-1) === 'state' || leaf.path.at(-1) === 'status';
  if (ended && task?.status.state !== ended && !isState && !(/unknown|could not be read/.test(told) || error)) {
    return `ended as ${task?.status.state}, not ${ended}; told: ${told}`;
  }
  if (lost.length > 0 && !isAbsent && told.trim() === '') return `lost ${lost.join(', ')} without a word`;
  return undefined;
}

/** Whether a text has some content, which some agents write as base64 of base64. */
const isIn = (text: string, content: string): boolean =>
  text.includes(content.slice(1, -1)) ||
  text.includes(Buffer.from(content, 'base64').toString()) ||
  text.includes(Buffer.from(content.slice(1, -1)).toString('base64'));

const statusTextOf = (task: Task | undefined): string =>
  task?.status.state === 'TASK_STATE_FAILED' ? (task.status.message?.parts[0]?.text ?? '') : '';

/** A generator of numbers from 0 to 1 (mulberry32). */
function randomOf(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/**
 * Runs a sample of all mutants, and returns what is wrong, a line for each.
 *
 * @param count all mutants where there are not so many
 */
export async function faultsOfSample(count: number, seed: number): Promise<string[]> {
  const random = randomOf(seed);
  const worlds = allAnswers().flatMap((answers) => getModes.map((get) => ({ answers, get })));
  const bases = await runAll(worlds);
  const all = worlds.flatMap(({ answers, get }, world) =>
    placesOf(answers).map((place) => ({ answers, get, place, world })),
  );
  const judged = ({ answers, get, place, world }: (typeof all)[number]): Judged => ({
    mutant: mutantAt(place, answers, get),
    base: bases[world] ?? {},
  });
  const sample =
    count >= all.length
      ? all.map(judged)
      : Array.from({ length: count }, () => judged(all[Math.floor(random() * all.length)] as (typeof all)[number]));
  // An answer that is as its document says is read whole.
  const faults = worlds.flatMap(({ answers, get }, at) => {
    const { task, message } = bases[at] ?? {};
    if (answers.name.includes('looser than the document')) return [];
    return unreadIn((task ?? message)?.metadata).map((line) => `${answers.name}, tasks/get ${get}: ${line}`);
  });
  for (let from = 0; from < sample.length; from += atOnce) {
    const some = sample.slice(from, from + atOnce);
    const outcomes = await runAll(some.map(({ mutant }) => mutant));
    some.forEach(({ mutant, base }, at) => {
      const fault = faultOf(mutant, base, outcomes[at] ?? {});
      if (fault !== undefined) faults.push(`${describe(mutant)}: ${fault}`);
    });
  }
  return faults;
}

interface Judged {
  readonly mutant: Mutant;
  /** The outcome of the intact answers. */
  readonly base: Outcome;
}

/** Agents of one gateway. */
const atOnce = 500;

function describe({ of, get, leaf, garbling }: Mutant): string {
  const { dialect, binding, name, streams } = of;
  const where = `${dialect.name} ${binding} ${streams ? 'stream' : 'answer'} "${name}", tasks/get ${get}`;
  return `${where}: ${leaf.path.join('.')} ${garbling.name}`;
}

import { setTimeout as delay } from 'node:timers/promises';
import type { StreamResponse } from '../core/model/a2a.ts';
import type { Agent } from '../core/model/agent.ts';
import { longestTimer } from '../core/model/timing.ts';
import { type AgentRequest, defineAgent } from './define.ts';
import { artifact, isAsking, say, status } from './events.ts';

/** The longest stream, in chunks. */
const maxChunks = 10_000;

/** A PNG of one transparent pixel. */
const pixel = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==';
const picture = { raw: pixel, mediaType: 'image/png', filename: 'pixel.png' };

type Events = AsyncGenerator<StreamResponse>;
type Args = readonly (string | undefined)[];

/** An id that depends only on the turn, so that a repeated turn replaces the artifacts of the turn that crashed. */
const artifactIdOf = ({ task }: AgentRequest): string => `artifact-${(task?.artifacts?.length ?? 0) + 1}`;

const submitted = status('TASK_STATE_SUBMITTED');
const working = status('TASK_STATE_WORKING');
const completed = status('TASK_STATE_COMPLETED');

interface Command {
  readonly pattern: RegExp;
  readonly summary: string;
  readonly run: (request: AgentRequest, args: Args) => Events;
}

/** The commands. The pattern of each must match the whole text. */
const commands: readonly Command[] = [
  { pattern: /^say (.+)$/s, summary: '`say WORDS`: a direct message', run: saying },
  { pattern: /^stream (\d{1,9})(?: (\d{1,9}))?$/, summary: '`stream N [MS]`: N chunks', run: streaming },
  { pattern: /^slow (\d{1,9})$/, summary: '`slow MS`: an artifact after a while', run: slow },
  { pattern: /^ask$/, summary: '`ask`: asks for your name', run: pausing('INPUT_REQUIRED', 'What is your name?') },
  { pattern: /^auth$/, summary: '`auth`: wants authorization', run: pausing('AUTH_REQUIRED', 'Please authorize.') },
  { pattern: /^fail$/, summary: '`fail`: fails', run: pausing('FAILED', 'Failed, as asked.') },
  { pattern: /^reject$/, summary: '`reject`: is rejected', run: pausing('REJECTED', 'Rejected, as asked.') },
  { pattern: /^wait$/, summary: '`wait`: works until canceled', run: waiting },
  { pattern: /^data$/, summary: '`data`: a data part', run: giving([{ data: { answer: 42 } }]) },
  { pattern: /^file$/, summary: '`file`: a picture', run: giving([picture]) },
];

async function* saying(_: AgentRequest, [words = '']: Args): Events {
  yield say(words);
}

async function* streaming({ taskId, signal }: AgentRequest, [count = '', pause = '10']: Args): Events {
  const chunks = Number(count);
  if (chunks < 1 || chunks > maxChunks) {
    yield status('TASK_STATE_REJECTED', `A stream has 1 to ${maxChunks} chunks.`);
    return;
  }
  yield working;
  const artifactId = `${taskId}-stream`;
  for (let i = 1; i <= chunks; i += 1) {
    if (i > 1 && Number(pause) > 0) await delay(Number(pause), undefined, { signal });
    const content = `chunk ${i}`;
    yield artifact({ artifactId, name: 'stream', content, append: i > 1, lastChunk: i === chunks });
  }
  yield completed;
}

async function* slow(request: AgentRequest, [ms = '0']: Args): Events {
  yield working;
  await delay(Math.min(Number(ms), longestTimer), undefined, { signal: request.signal });
  yield artifact({ artifactId: artifactIdOf(request), name: 'slow', content: `Done after ${Number(ms)} ms.` });
  yield completed;
}

async function* waiting({ signal }: AgentRequest): Events {
  yield working;
  await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
}

function pausing(state: 'INPUT_REQUIRED' | 'AUTH_REQUIRED' | 'FAILED' | 'REJECTED', text: string): Command['run'] {
  return async function* () {
    yield status(`TASK_STATE_${state}`, text);
  };
}

function giving(content: Parameters<typeof artifact>[0]['content']): Command['run'] {
  return async function* (request) {
    yield working;
    yield artifact({ artifactId: artifactIdOf(request), name: 'result', content });
    yield completed;
  };
}

async function* greet(request: AgentRequest): Events {
  yield artifact({ artifactId: artifactIdOf(request), name: 'greeting', content: `Hello, ${request.text}` });
  yield completed;
}

async function* echo(request: AgentRequest): Events {
  if (!request.task) yield submitted;
  yield working;
  yield artifact({ artifactId: artifactIdOf(request), name: 'echo', content: request.message.parts });
  yield completed;
}

function answer(request: AgentRequest): Events {
  if (isAsking(request.task)) return greet(request);
  for (const { pattern, run } of commands) {
    const [match, ...args] = pattern.exec(request.text) ?? [];
    if (match !== undefined) return run(request, args);
  }
  return echo(request);
}

/** The built-in agent: deterministic, without a model, for trying things out and for tests. */
export function createReferenceAgent(): Agent {
  const everything = ['text/plain', 'application/json', 'application/octet-stream', 'image/png'];
  const skill = {
    id: 'echo',
    name: 'Echo and commands',
    description: `Gives back what it is sent, or obeys: ${commands.map(({ summary }) => summary).join('; ')}.`,
    tags: ['echo', 'reference', 'test'],
    examples: ['hello', 'say hello', 'stream 5', 'ask'],
  };
  return defineAgent({
    name: 'Reference agent',
    description: 'A deterministic agent without a model, for trying things out and for tests.',
    skills: [skill],
    card: { defaultInputModes: everything, defaultOutputModes: everything },
    extendedCard: {
      description: 'A deterministic agent without a model. You are reading its extended card.',
      skills: [
        skill,
        { ...skill, id: 'extended', name: 'Extended', description: 'Shown to authenticated callers only.' },
      ],
    },
    execute: answer,
    restart: true,
  });
}

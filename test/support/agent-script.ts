import type { Message, Part, StreamResponse, Task, TaskState } from '../../src/core/model/a2a.ts';

/** The commands of agents in tests, in the types of A2A 1.0, for every server that runs them. */

/** One message to the agent. */
export interface Turn {
  readonly taskId: string;
  readonly contextId: string;
  readonly message: Message;
  /** The task that the message continues, if any. */
  readonly before: object | undefined;
}

/** Tasks that wait for something outside. */
export interface Waits {
  /** Resolves when the task is to stop, or may go on. */
  wait(taskId: string): Promise<'stopped' | 'released'>;
}

type Tell = (event: StreamResponse) => void;

/** An agent's work on one message. */
export type Script = (turn: Turn, tell: Tell, waits: Waits) => Promise<void>;

const pixel = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==';

/** Commands that an agent answers at once with an artifact. */
const gifts: Readonly<Record<string, readonly Part[]>> = {
  file: [{ raw: pixel, mediaType: 'image/png', filename: 'pixel.png' }],
  link: [{ url: 'https://files.example.com/a.png', mediaType: 'image/png', filename: 'a.png' }],
  data: [{ data: { answer: 42, list: [1, 'x'] } }],
};

/** Commands that end in a state, with the message of the agent. */
const endings: Readonly<Record<string, readonly [state: string, said: string]>> = {
  ask: ['INPUT_REQUIRED', 'What is your name?'],
  fail: ['FAILED', 'Failed, as asked.'],
  reject: ['REJECTED', 'Rejected, as asked.'],
};

/**
 * Does what the text of a message says: `say WORDS` (a direct message), `chunks N`, `ask`, `fail`, `reject`, `file`,
 * `link`, `data`, `slow` (an artifact when released), `wait` (until canceled); anything else comes back as an artifact.
 */
export async function execute(turn: Turn, tell: Tell, waits: Waits): Promise<void> {
  const { taskId, contextId, message, before } = turn;
  const ids = { taskId, contextId };
  const given = message.parts.find((part) => part.text !== undefined)?.text ?? '';
  let said = 0;
  const speech = (words: string): Message => {
    said += 1;
    return { messageId: `${message.messageId}-answer-${said}`, role: 'ROLE_AGENT', parts: [{ text: words }], ...ids };
  };
  const status = (state: string, words?: string): void =>
    tell({
      statusUpdate: {
        ...ids,
        status: {
          state: `TASK_STATE_${state}` as TaskState,
          timestamp: new Date().toISOString(),
          ...(words !== undefined && { message: speech(words) }),
        },
      },
    });
  const artifact = (artifactId: string, parts: readonly Part[], flags: object = {}): void =>
    tell({ artifactUpdate: { ...ids, artifact: { artifactId, name: artifactId, parts: [...parts] }, ...flags } });

  if (given.startsWith('say ')) {
    const { taskId: _, ...direct } = speech(given.slice(4));
    tell({ message: direct });
    return;
  }
  if (before === undefined) {
    const opened: Task = {
      id: taskId,
      contextId,
      status: { state: 'TASK_STATE_SUBMITTED', timestamp: new Date().toISOString() },
      history: [message],
    };
    tell({ task: opened });
  }
  const ending = endings[given];
  if (ending) {
    status(...ending);
    return;
  }
  status('WORKING', 'Working on it');
  const [, count] = /^chunks (\d+)$/.exec(given) ?? [];
  if (given === 'wait' || given === 'slow') {
    if ((await waits.wait(taskId)) === 'stopped') {
      status('CANCELED', 'Stopped, as asked.');
      return;
    }
    artifact('slow', [{ text: 'Done at last' }]);
  } else if (count !== undefined) {
    for (let i = 1; i <= Number(count); i += 1) {
      artifact('stream', [{ text: `chunk ${i}` }], { append: i > 1, lastChunk: i === Number(count) });
      await new Promise((resolve) => setTimeout(resolve, 2));
    }
  } else if (before) artifact('greeting', [{ text: `Hello, ${given}` }]);
  else artifact('result', gifts[given] ?? message.parts);
  status('COMPLETED', 'Done.');
}

import { A2AError, type Client, type LoggedEvent, sendRequest } from '../../src/client/index.ts';
import type { SendMessageRequest, SendMessageResponse } from '../../src/core/model/a2a.ts';
import { isTerminal } from '../../src/core/model/lifecycle.ts';
import { type Callee, type CallTimeouts, type Clients, faces, isPassing, modern } from './clients.ts';
import type { Answer, Ledger, Manner, Said } from './ledger.ts';

/** Milliseconds that calls are tried for: those that wait for the agent, those that do not, and those when all is calm. */
export const timeouts = {
  waiting: { attempt: 12_000, total: 60_000 },
  prompt: { attempt: 5_000, total: 60_000 },
  // A connection whose other side is gone is given up after half a minute.
  calm: { attempt: 8_000, total: 60_000 },
  // Longer than any run: who gives up while gateways fall leaves a task that goes on for ever.
  ending: { attempt: 12_000, total: 600_000 },
} as const satisfies Record<string, CallTimeouts>;

export interface SenderOptions {
  readonly clients: Clients;
  readonly ledger: Ledger;
  /** URL of the receiver of notifications; the marker of a message goes behind it. */
  readonly hook: string;
  /** Called with the gateway that answered at once and showed a task that is over. */
  readonly onEnd: (gateway: number) => void;
}

export interface Saying extends Callee {
  readonly text: string;
  readonly taskId?: string;
  readonly push?: boolean;
  /** Default: `waits`. */
  readonly manner?: Manner;
  /** Default: true. */
  readonly keyed?: boolean;
}

export interface RepeatOptions {
  readonly request?: SendMessageRequest;
  readonly timeouts?: CallTimeouts;
}

/** Sends messages, and notes what comes of them. */
export class Sender {
  readonly #options: SenderOptions;
  #count = 0;

  constructor(options: SenderOptions) {
    this.#options = options;
  }

  /** Notes a message that is about to be sent. */
  note({ agent, face, caller, text, taskId, push = false, manner = 'waits', keyed = true }: Saying): Said {
    const { ledger } = this.#options;
    this.#count += 1;
    const said: Said = {
      agent,
      face,
      text,
      push,
      manner,
      keyed,
      marker: `marker-${this.#count}`,
      answers: [],
      repeats: 0,
      attempts: 0,
      began: Date.now(),
      ...(taskId !== undefined && { continues: taskId }),
      ...(caller !== undefined && { caller }),
    };
    ledger.said.push(said);
    if (push) ledger.notified.set(said.marker, []);
    return said;
  }

  /** The call's request: the same each time. */
  request({ marker, text, continues, face, manner, push }: Said): SendMessageRequest {
    const parts = [{ text }, { text: marker }];
    // Clients of 0.1 choose the ids of their tasks.
    const taskId = continues ?? (face === faces.oldest ? `chosen-${marker}` : undefined);
    const request = sendRequest({ parts, messageId: marker }, taskId === undefined ? {} : { taskId });
    const configuration = {
      // A client that names none takes those of the card, which are others while a gateway does not know the agent's.
      acceptedOutputModes: ['text/plain'],
      ...(manner === 'at once' && { returnImmediately: true }),
      ...(push && { taskPushNotificationConfig: { url: `${this.#options.hook}/${marker}` } }),
    };
    return { ...request, configuration };
  }

  /** Sends a message with its key, to one gateway after the other until one answers. */
  async say(saying: Saying): Promise<Said> {
    const said = this.note(saying);
    await this.send(said);
    return said;
  }

  /** Sends a message that is noted already. */
  async send(said: Said): Promise<void> {
    await this.settle(said, async () => {
      const { value, attempts } = await this.#call(said, said);
      said.attempts = attempts;
      take(said, value);
    });
  }

  /**
   * Calls again with the key of a message that was sent before, over any binding.
   *
   * @param how `request`: another one than the first; `timeouts`: another one than that of its manner
   */
  async repeat(said: Said, callee: Callee, how: RepeatOptions = {}): Promise<Answer> {
    const { value } = await this.#call(said, callee, how);
    return value;
  }

  /** Sends a message once, without a key, to one gateway. */
  async sendOnce(said: Said, gateway: number): Promise<void> {
    await this.settle(said, async () => {
      const signal = AbortSignal.timeout(timeouts.waiting.attempt);
      said.attempts = 1;
      const client = await this.#options.clients.at(gateway, said, signal);
      const answer = await this.answer(said, client, { signal });
      take(said, answer);
      this.#noteEnd(said, answer, gateway);
    });
  }

  /** Notes what a message was refused with, and when it was all over. */
  async settle(said: Said, call: () => Promise<void>): Promise<void> {
    try {
      await call();
    } catch (thrown) {
      const error = A2AError.from(thrown);
      said.refusal = `${error.kind}: ${error.message}`;
      said.gaveUp = isPassing(error);
    } finally {
      said.ended = Date.now();
    }
  }

  #call(said: Said, callee: Callee, how: RepeatOptions = {}): Promise<{ value: Answer; attempts: number }> {
    const usual = said.manner === 'at once' ? timeouts.prompt : timeouts.waiting;
    return this.#options.clients.call(callee, how.timeouts ?? usual, async (client, signal, gateway) => {
      const answer = await this.answer(said, client, { signal, idempotencyKey: said.marker }, how.request);
      this.#noteEnd(said, answer, gateway);
      return answer;
    });
  }

  #noteEnd({ manner }: Said, { task }: Answer, gateway: number): void {
    if (manner === 'at once' && task && isTerminal(task.status.state)) this.#options.onEnd(gateway);
  }

  /** Makes one call to one gateway. */
  async answer(
    said: Said,
    client: Client,
    options: { readonly signal: AbortSignal; readonly idempotencyKey?: string },
    request: SendMessageRequest = this.request(said),
  ): Promise<Answer> {
    if (said.manner !== 'streams') return client.sendMessage(request, options) satisfies Promise<SendMessageResponse>;
    const events: LoggedEvent[] = [];
    try {
      for await (const event of client.events('SendStreamingMessage', request, options)) events.push(event);
      return { events, whole: true };
    } catch (thrown) {
      if (events.length === 0) throw thrown;
      return { events, whole: false };
    }
  }
}

/** Notes an answer with the message that it is for. */
export function take(said: Said, answer: Answer): void {
  const task = answer.task ?? answer.events?.[0]?.event.task;
  if (task) said.taskId ??= task.id;
  if (modern.includes(said.face)) said.answers.push(answer);
  if (answer.task) said.shown ??= answer.task.status.state;
}

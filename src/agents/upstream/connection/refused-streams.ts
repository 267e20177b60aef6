import { Learned, learnedFor } from '../../../client/learned.ts';
import type { A2AError } from '../../../core/model/errors.ts';
import type { Logger } from '../../../core/ports/logger.ts';

/** Remembers over which way an agent has no streams of messages, whatever its card says. */
export class RefusedStreams {
  readonly #facts: { readonly agent: string; readonly url: string };
  readonly #logger: Logger;
  /** Key of the way. */
  readonly #way: Learned<string>;
  /** Whether a refusal that proves nothing was logged since the card was read. */
  #hasWarned = false;

  constructor(agent: string, url: string, logger: Logger) {
    this.#facts = { agent, url };
    this.#logger = logger;
    this.#way = new Learned(() => logger.info(this.#facts, 'streams of the upstream agent are tried again'));
  }

  /** Whether the agent is known to have no streams over this way. */
  has(way: string | undefined): boolean {
    const { value } = this.#way;
    return value !== undefined && value === way;
  }

  /** Records that the agent has none over this way. */
  learn(way: string): void {
    if (this.has(way)) return;
    this.#way.learn(way);
    const facts = { ...this.#facts, minutes: learnedFor / 60_000 };
    this.#logger.info(facts, 'the upstream agent does not stream; its messages are sent without a stream for now');
  }

  /** Logs that the agent refused a stream in a way that proves nothing: it may have carried out the message. */
  warn(err: A2AError): void {
    if (this.#hasWarned) return;
    this.#hasWarned = true;
    const advice = 'if it does not stream, set `card: { capabilities: { streaming: false } }` at the agent';
    const text = `the upstream agent refused a stream that its card offers; the message is not sent again, because it may have run; ${advice}`;
    this.#logger.warn({ ...this.#facts, err }, text);
  }

  /** The agent has a new card. */
  forget(): void {
    this.#way.end();
    this.#hasWarned = false;
  }
}

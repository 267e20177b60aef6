import type { Part, StreamResponse } from '../core/model/a2a.ts';
import { stateWord } from '../core/model/lifecycle.ts';
import { createJoiner } from '../core/model/text.ts';

/** Milliseconds between two reports: what comes meanwhile is told together. */
const pace = 100;
/** Milliseconds of silence after which the client is told that the task is still there. */
const silence = 10_000;
/** Characters of one report: the last ones count. */
const longest = 2_000;

/** Tells a client how a task comes on; `progress` grows with each report. */
export type SendProgress = (progress: number, message: string) => void;

const describe = ({ text, filename, mediaType, data }: Part): string =>
  text ?? (data === undefined ? `[${filename ?? mediaType ?? 'file'}]` : JSON.stringify(data));

function wordsOf({ task, statusUpdate, artifactUpdate, message }: StreamResponse): string {
  const status = (task ?? statusUpdate)?.status;
  const parts = status?.message?.parts ?? artifactUpdate?.artifact.parts ?? message?.parts ?? [];
  const joiner = createJoiner(describe);
  const said = parts.map((part) => joiner.push(part)).join('');
  if (!status) return said;
  return said === '' ? stateWord(status.state) : `${stateWord(status.state)}: ${said}`;
}

/** Reports the events of a task at a bounded pace, and now and then that there were none. Ends with `stop`. */
export class ProgressReporter {
  readonly #report: SendProgress;
  #count = 0;
  #waiting: string[] = [];
  #sentAt = Number.NEGATIVE_INFINITY;
  #timer: NodeJS.Timeout | undefined;
  readonly #pulse: NodeJS.Timeout;

  constructor(report: SendProgress) {
    this.#report = report;
    this.#pulse = setInterval(() => {
      if (performance.now() - this.#sentAt >= silence) this.tell('still working');
    }, silence);
  }

  event(event: StreamResponse): void {
    this.tell(wordsOf(event));
  }

  tell(words: string): void {
    if (words === '') return;
    this.#waiting.push(words);
    if (this.#timer) return;
    const wait = this.#sentAt + pace - performance.now();
    if (wait <= 0) this.#send();
    else this.#timer = setTimeout(() => this.#send(), wait);
  }

  /** Nothing is reported from now on (MCP: not after the answer). */
  stop(): void {
    clearInterval(this.#pulse);
    clearTimeout(this.#timer);
    this.#waiting = [];
  }

  #send(): void {
    this.#timer = undefined;
    const message = this.#waiting.join('\n').slice(-longest);
    this.#waiting = [];
    this.#sentAt = performance.now();
    this.#count += 1;
    this.#report(this.#count, message);
  }
}

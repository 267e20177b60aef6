import type { Part, StreamResponse } from '../../../core/model/a2a.ts';
import { stateWord } from '../../../core/model/lifecycle.ts';
import { createJoiner } from '../../../core/model/text.ts';

/** Minimum milliseconds between two reports; events in between are combined. */
const pace = 100;
/** Milliseconds without events after which a report confirms that the task is still running. */
const silence = 10_000;
/** Maximum characters of one report; the last ones are kept. */
const longest = 2_000;

/** Reports the progress of a task to a client; `progress` grows with each report. */
export type SendProgress = (progress: number, message: string) => void;

export const describePart = ({ text, filename, mediaType, data }: Part): string =>
  text ?? (data === undefined ? `[${filename ?? mediaType ?? 'file'}]` : JSON.stringify(data));

function textOf({ task, statusUpdate, artifactUpdate, message }: StreamResponse): string {
  const status = (task ?? statusUpdate)?.status;
  const parts = status?.message?.parts ?? artifactUpdate?.artifact.parts ?? message?.parts ?? [];
  const joiner = createJoiner(describePart);
  const text = parts.map((part) => joiner.push(part)).join('');
  if (!status) return text;
  return text === '' ? stateWord(status.state) : `${stateWord(status.state)}: ${text}`;
}

/**
 * Reports the events of a task at a limited rate, and confirms that it is running if there are none. Ends with `stop`.
 */
export function reportProgress(report: SendProgress): { onEvent(event: StreamResponse): void; stop(): void } {
  let count = 0;
  let waiting: string[] = [];
  let sentAt = Number.NEGATIVE_INFINITY;
  let timer: NodeJS.Timeout | undefined;

  const send = (): void => {
    timer = undefined;
    const message = waiting.join('\n').slice(-longest);
    waiting = [];
    sentAt = performance.now();
    count += 1;
    report(count, message);
  };
  const add = (text: string): void => {
    if (text === '') return;
    waiting.push(text);
    if (timer) return;
    const wait = sentAt + pace - performance.now();
    if (wait <= 0) send();
    else timer = setTimeout(send, wait);
  };
  const pulse = setInterval(() => {
    if (performance.now() - sentAt >= silence) add('still working');
  }, silence);

  return {
    onEvent: (event) => add(textOf(event)),
    /** Stops reporting: MCP allows no progress after the response. */
    stop() {
      clearInterval(pulse);
      clearTimeout(timer);
      waiting = [];
    },
  };
}

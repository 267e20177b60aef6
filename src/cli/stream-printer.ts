import type { Part, StreamResponse } from '../client/index.ts';
import { createJoiner, type Joiner } from './joiner.ts';
import type { Output } from './output.ts';
import { messageText, stateWord } from './render.ts';

/** Prints a stream as it comes: artifacts and messages on stdout, states as progress. */
export interface StreamPrinter {
  event(event: StreamResponse): void;
  /** Ends the last line. */
  end(): void;
}

export function createStreamPrinter(output: Output): StreamPrinter {
  const artifacts = new Map<string, Joiner>();
  let current: string | undefined;
  let lineOpen = false;

  const print = (text: string): void => {
    if (text === '') return;
    output.print(text);
    lineOpen = !text.endsWith('\n');
  };
  const endLine = (): void => {
    if (lineOpen) output.print('\n');
    lineOpen = false;
  };
  const show = (id: string, parts: readonly Part[], afresh: boolean): void => {
    let joiner = artifacts.get(id);
    if (joiner === undefined || afresh) {
      joiner = createJoiner();
      artifacts.set(id, joiner);
      endLine();
    } else if (current !== id) {
      endLine();
    }
    current = id;
    for (const part of parts) print(joiner.push(part));
  };

  return {
    event({ task, message, artifactUpdate, statusUpdate }) {
      if (message !== undefined) {
        endLine();
        print(messageText(message));
        endLine();
      }
      // A Task brings along what was seen already.
      for (const { artifactId, parts } of task?.artifacts ?? []) {
        const seen = artifacts.get(artifactId)?.count ?? 0;
        if (parts.length > seen) show(artifactId, parts.slice(seen), false);
      }
      if (artifactUpdate !== undefined) {
        const { artifact, append } = artifactUpdate;
        show(artifact.artifactId, artifact.parts, append !== true);
      }
      const status = (task ?? statusUpdate)?.status;
      if (status !== undefined && !lineOpen) {
        output.progress(`${stateWord(status.state)} ${messageText(status.message)}`);
      }
    },
    end: endLine,
  };
}

import type { Part, StreamResponse } from '../client/index.ts';
import type { Joiner } from '../core/model/text.ts';
import type { Output } from './output.ts';
import { createJoiner, messageText, stateWord } from './render.ts';

/** Prints the events of a stream: artifacts and messages on stdout, states as progress. */
export interface StreamPrinter {
  event(event: StreamResponse): void;
  /** The agent's last status message, as long as nothing was printed: the answer of agents that give it while they work. */
  readonly reply: string;
  /** Ends the last line. */
  end(): void;
}

export function createStreamPrinter(output: Output): StreamPrinter {
  const artifacts = new Map<string, { readonly joiner: Joiner; text: string }>();
  let current: string | undefined;
  let lineOpen = false;
  let hasPrinted = false;
  let lastSaid = '';

  const print = (text: string): void => {
    if (text === '') return;
    hasPrinted = true;
    output.print(text);
    lineOpen = !text.endsWith('\n');
  };
  const endLine = (): void => {
    if (lineOpen) output.print('\n');
    lineOpen = false;
  };
  const show = (id: string, parts: readonly Part[], afresh: boolean): void => {
    const before = artifacts.get(id);
    const artifact = before === undefined || afresh ? { joiner: createJoiner(), text: '' } : before;
    artifacts.set(id, artifact);
    const added = parts.map((part) => artifact.joiner.push(part)).join('');
    artifact.text += added;
    // Agents that cannot append send the whole artifact again: only its new end is printed.
    const grown = afresh && before !== undefined && current === id && artifact.text.startsWith(before.text);
    if (!grown && (afresh || current !== id)) endLine();
    current = id;
    print(grown ? artifact.text.slice(before.text.length) : added);
  };

  return {
    event({ task, message, artifactUpdate, statusUpdate }) {
      if (message !== undefined) {
        endLine();
        print(messageText(message));
        endLine();
      }
      // A Task repeats artifacts that have been printed.
      for (const { artifactId, parts } of task?.artifacts ?? []) {
        const seen = artifacts.get(artifactId)?.joiner.count ?? 0;
        if (parts.length > seen) show(artifactId, parts.slice(seen), false);
      }
      if (artifactUpdate !== undefined) {
        const { artifact, append } = artifactUpdate;
        show(artifact.artifactId, artifact.parts, append !== true);
      }
      const status = (task ?? statusUpdate)?.status;
      if (status === undefined) return;
      const said = messageText(status.message);
      if (said !== '') lastSaid = said;
      if (!lineOpen) output.progress(`${stateWord(status.state)} ${said}`);
    },
    get reply() {
      return hasPrinted ? '' : lastSaid;
    },
    end: endLine,
  };
}

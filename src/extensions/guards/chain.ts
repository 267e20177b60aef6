import type { Part } from '../../core/model/a2a.ts';
import type { Guard, Guards, JudgedParts, Subject } from './guards.ts';
import { type GuardPhase, textOf } from './model.ts';

/** Parts to be judged, and where they belong. */
export interface Chunk {
  readonly parts: Part[];
  readonly messageId?: string;
  readonly artifactId?: string;
  /** Whether they are added to those that the artifact has. */
  readonly append?: boolean;
}

export interface ChainDeps {
  readonly guards: Guards;
  readonly phase: GuardPhase;
  readonly subject: Subject;
  /** Ends the questions. */
  readonly signal: AbortSignal;
  /** The text of an artifact before the first chunk that is judged. Absent: there is none. */
  readonly textBefore?: (artifactId: string) => Promise<string>;
}

/**
 * Judges of one run or call, in the order of the list: each gets what the former left. Several chunks may be judged at a time;
 * `window` is the text that this guard got before.
 */
export class Chain {
  readonly #stages: readonly Stage[];

  constructor(list: readonly Guard[], deps: ChainDeps) {
    this.#stages = list.filter(({ on }) => on.includes(deps.phase)).map((guard) => new Stage(guard, deps));
  }

  get isEmpty(): boolean {
    return this.#stages.length === 0;
  }

  /** Begins at once, so that chunks are known in the order of the calls. Rejects with Blocked. */
  judge(chunk: Chunk): Promise<JudgedParts> {
    let judged: Promise<JudgedParts> = Promise.resolve({ parts: chunk.parts, marks: [], asks: [] });
    for (const stage of this.#stages) judged = stage.judge(chunk, judged);
    return judged;
  }
}

/** One guard of a chain. */
class Stage {
  readonly #guard: Guard;
  readonly #deps: ChainDeps;
  /** The end of the text of each artifact so far. */
  readonly #ends = new Map<string, Promise<string>>();

  constructor(guard: Guard, deps: ChainDeps) {
    this.#guard = guard;
    this.#deps = deps;
  }

  async judge(chunk: Chunk, given: Promise<JudgedParts>): Promise<JudgedParts> {
    const before = this.#window(chunk, given);
    const { parts, marks, asks } = await given;
    const window = await before;
    const { guards, subject, phase, signal } = this.#deps;
    const { messageId = '', artifactId = '' } = chunk;
    const piece = { phase, messageId, artifactId, ...(window !== '' && { window }), parts };
    const judged = await guards.judge(this.#guard, subject, piece, signal);
    return { parts: judged.parts, marks: [...marks, ...judged.marks], asks: [...asks, ...judged.asks] };
  }

  /** The text before a chunk. Notes the text of the chunk for the next one. */
  #window({ artifactId, append }: Chunk, given: Promise<JudgedParts>): Promise<string> {
    const { window: size } = this.#guard;
    if (size === 0 || artifactId === undefined) return Promise.resolve('');
    const before = append ? (this.#ends.get(artifactId) ?? this.#textBefore(artifactId)) : Promise.resolve('');
    const end = Promise.all([before, given]).then(([known, { parts }]) => endOf(known + textOf(parts), size));
    // A run ends with what a former guard has blocked, or where its task cannot be read.
    before.catch(() => undefined);
    this.#ends.set(
      artifactId,
      end.catch(() => ''),
    );
    return before;
  }

  async #textBefore(artifactId: string): Promise<string> {
    const known = (await this.#deps.textBefore?.(artifactId)) ?? '';
    return endOf(known, this.#guard.window);
  }
}

/** The last characters of a text, none of them half. */
function endOf(text: string, size: number): string {
  const end = text.slice(-size);
  return /^[\uDC00-\uDFFF]/.test(end) ? end.slice(1) : end;
}

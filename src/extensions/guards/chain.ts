import type { Part } from '../../core/model/a2a.ts';
import type { Guard, Guards, JudgedParts, Subject } from './guards.ts';
import { type GuardPhase, textOf } from './model.ts';

/** Parts for the guards, and their place in the answer. */
export interface Chunk {
  readonly parts: Part[];
  readonly messageId?: string;
  readonly artifactId?: string;
  /** Whether the parts are appended to the artifact. */
  readonly append?: boolean;
}

export interface ChainDeps {
  readonly guards: Guards;
  readonly phase: GuardPhase;
  readonly subject: Subject;
  /** Aborts the questions to the judges. */
  readonly signal: AbortSignal;
  /** Returns the artifact's text before the first judged chunk. Absent: there is none. */
  readonly textBefore?: (artifactId: string) => Promise<string>;
}

/**
 * Guards of one run or call, in the order of the configuration. Each guard gets the parts that the former one left. Several
 * chunks may be judged at once; `window` is the text that this guard got before the chunk.
 */
export class Chain {
  readonly #stages: readonly Stage[];

  constructor(list: readonly Guard[], deps: ChainDeps) {
    this.#stages = list.filter(({ on }) => on.includes(deps.phase)).map((guard) => new Stage(guard, deps));
  }

  get isEmpty(): boolean {
    return this.#stages.length === 0;
  }

  /** Judges a chunk. It begins at once, so that chunks keep the order of the calls. Rejects with Blocked. */
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
  /** Last characters of each artifact's text so far. */
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

  /** Returns the text before a chunk, and remembers the chunk's text for the next one. */
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

/** Returns the last characters of a text without a lone surrogate. */
function endOf(text: string, size: number): string {
  const end = text.slice(-size);
  return /^[\uDC00-\uDFFF]/.test(end) ? end.slice(1) : end;
}
